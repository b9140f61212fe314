// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parser for the few forms of Python literals that NumPy writes into headers.
// NumPy itself evaluates them with ast.literal_eval; other literals that it
// would accept are refused here.

#include "base/files/arrays/NpyHeader.h"

#include "base/Error.h"

#include <utility>

namespace transfold {

namespace {

/// Recursive descent over the text; `at` is the next character.
class Parser {
public:
  Parser(std::string_view text, const std::string &path)
      : text(text), path(path) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr" && !std::exchange(descr, true))
        header.descr = string();
      else if (key == "fortran_order" && !std::exchange(order, true))
        header.fortranOrder = boolean();
      else if (key == "shape" && !std::exchange(shape, true))
        header.shape = tuple();
      else
        broken("an unknown or repeated key");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipBlanks();
    if (at != text.size())
      broken("something after the dictionary");
    if (!descr || !order || !shape)
      broken("no 'descr', 'fortran_order' or 'shape'");
    return header;
  }

private:
  std::string_view text;
  const std::string &path;
  size_t at = 0;

  /// Throws Error: the header has `what` at the current place.
  [[noreturn]] void broken(std::string_view what) {
    fail("{}: not an .npy file that can be read: its header has {} (character "
         "{})",
         path, what, at);
  }

  void skipBlanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  /// Skips blanks, and the character `wanted` if it comes next.
  bool accept(char wanted) {
    skipBlanks();
    if (at == text.size() || text[at] != wanted)
      return false;
    ++at;
    return true;
  }
  /// The same for a character that must come next.
  void expect(char wanted) {
    if (!accept(wanted))
      broken(fmt::format("no '{}'", wanted));
  }
  /// Skips blanks, and a word if it comes next.
  bool acceptWord(std::string_view word) {
    skipBlanks();
    if (!text.substr(at).starts_with(word))
      return false;
    at += word.size();
    return true;
  }

  /// A string in either kind of quotes. There are no escapes in names of types,
  /// so that a backslash is an ordinary character.
  std::string string() {
    skipBlanks();
    char quote = at < text.size() ? text[at] : 0;
    if (quote != '\'' && quote != '"')
      broken("no string where one is expected; structured types are not "
             "supported");
    size_t end = text.find(quote, at + 1);
    if (end == text.npos)
      broken("a string without an end");
    std::string value(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return value;
  }
  /// True or False.
  bool boolean() {
    if (acceptWord("True"))
      return true;
    if (acceptWord("False"))
      return false;
    broken("neither True nor False");
  }
  /// A size: digits without a sign.
  int64_t integer() {
    skipBlanks();
    size_t begin = at;
    int64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text[at] - '0', &value))
        broken("a size that is too large");
    if (at == begin)
      broken("something that is not a size");
    return value;
  }
  /// The extents in parentheses, each followed by a comma but for the last.
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    expect('(');
    while (!accept(')')) {
      if (values.size() == 32) // NumPy's limit for many years
        broken("more than 32 axes");
      values.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }
};

} // namespace

NpyHeader parseNpyHeader(std::string_view text, const std::string &path) {
  return Parser(text, path).parse();
}

} // namespace transfold
