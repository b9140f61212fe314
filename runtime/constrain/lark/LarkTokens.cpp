// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/lark/LarkTokens.h"

#include "base/text/Unicode.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

namespace {

bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }
bool isNameLetter(char letter) {
  const char lower = static_cast<char>(letter | 0x20);
  return (lower >= 'a' && lower <= 'z') || letter == '_' || isDigit(letter);
}

class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) {}

  LarkToken next() {
    skipSpace();
    if (rest.empty())
      return {LarkToken::Kind::End, "the end", line};
    if (rest[0] == '"')
      return quoted();
    if (rest[0] == '/')
      return regex();
    if (isDigit(rest[0]))
      return {LarkToken::Kind::Number, takeWhile(isDigit), line};
    if (isNameLetter(rest[0]))
      return {LarkToken::Kind::Name, takeWhile(isNameLetter), line};
    for (std::string_view sign : {"->", "..", "%ignore", "%import"})
      if (rest.starts_with(sign))
        return {LarkToken::Kind::Sign, take(sign.size()), line};
    if (std::string_view(":|()[]?*+~.,!-").find(rest[0]) != rest.npos)
      return {LarkToken::Kind::Sign, take(1), line};
    fail("has in line {} '{}', which is not supported", line,
         repairUtf8(rest.substr(0, std::min<size_t>(rest.find('\n'), 20))));
  }

private:
  std::string_view rest;
  size_t line = 1;

  std::string take(size_t bytes) {
    std::string result(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
    return result;
  }
  std::string takeWhile(bool (*isPart)(char)) {
    size_t bytes = 0;
    while (bytes < rest.size() && isPart(rest[bytes]))
      ++bytes;
    return take(bytes);
  }

  /// Skips white space and comments.
  void skipSpace() {
    while (!rest.empty()) {
      if (rest.starts_with("//") || rest[0] == '#') {
        rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
        continue;
      }
      if (std::string_view(" \t\r\n").find(rest[0]) == rest.npos)
        return;
      line += rest[0] == '\n';
      rest.remove_prefix(1);
    }
  }

  /// The text up to `end`, with its escapes, which starts after a character.
  std::string until(char end, const char *what) {
    size_t bytes = 1;
    while (bytes < rest.size() && rest[bytes] != end && rest[bytes] != '\n')
      bytes += rest[bytes] == '\\' ? 2 : 1;
    if (bytes >= rest.size() || rest[bytes] != end)
      fail("has in line {} {} without its end", line, what);
    std::string result(rest.substr(1, bytes - 1));
    rest.remove_prefix(bytes + 1);
    return result;
  }

  LarkToken regex() {
    std::string text = until('/', "an expression");
    if (!rest.empty() && isNameLetter(rest[0]))
      fail("has in line {} flags of an expression, which are not supported",
           line);
    return {LarkToken::Kind::Regex, text, line};
  }

  LarkToken quoted() {
    std::string escaped = until('"', "a text"), text;
    for (size_t i = 0; i < escaped.size(); ++i) {
      if (escaped[i] != '\\') {
        text += escaped[i];
        continue;
      }
      const char letter = escaped[++i];
      const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 0;
      if (digits > 0) {
        appendUtf8(text, hexadecimal(escaped.substr(i + 1, digits), digits));
        i += digits;
      } else {
        text += plainEscape(letter);
      }
    }
    LarkToken::Kind kind = LarkToken::Kind::Text;
    if (rest.starts_with('i') && !(rest.size() > 1 && isNameLetter(rest[1]))) {
      rest.remove_prefix(1);
      kind = LarkToken::Kind::AnyCase;
    }
    if (text.empty())
      fail("has in line {} an empty text", line);
    return {kind, text, line};
  }

  char plainEscape(char letter) const {
    switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
    case '\'':
      return letter;
    default:
      fail("has in line {} an escape of a text that is not supported", line);
    }
  }

  char32_t hexadecimal(const std::string &digits, size_t count) const {
    if (digits.size() < count ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)
      fail("has in line {} an escape without {} hexadecimal digits", line,
           count);
    const auto code = static_cast<char32_t>(std::stoul(digits, nullptr, 16));
    if (code >= 0xD800 && code <= 0xDFFF)
      fail("has in line {} an escape of a surrogate", line);
    return code;
  }
};

} // namespace

std::vector<LarkToken> larkTokens(std::string_view text,
                                  ConstraintBudget &budget) {
  if (repairUtf8(text) != text)
    fail("is not UTF-8");
  budget.work(text.size());
  std::vector<LarkToken> tokens;
  Reader reader(text);
  do {
    tokens.push_back(reader.next());
    budget.memory(sizeof(LarkToken) + tokens.back().text.size());
  } while (tokens.back().kind != LarkToken::Kind::End);
  return tokens;
}

} // namespace transfold::runtime::inline constrain
