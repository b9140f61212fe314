// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lexer. Outside of tags it makes one token of all text up to the next tag;
// inside of a tag, one for each name, literal or operator. White space control
// takes place here: the parser sees the text that remains.

#include "compiler/chat/Lexer.h"

#include "base/text/Unicode.h"
#include "runtime/chat/text/Text.h"
#include "runtime/chat/values/Integer.h"

#include <fmt/format.h>
#include <llvm/Support/Unicode.h>

#include <algorithm>
#include <cctype>

namespace transfold::chat {

namespace {

using runtime::chat::leadingSpace;
using runtime::chat::trailingSpace;

/// Normalizes line ends to \n and drops a final one, as jinja2 does.
std::string normalised(std::string_view source) {
  std::string text;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n')
      continue;
    text += source[i] == '\r' ? '\n' : source[i];
  }
  if (text.ends_with('\n'))
    text.pop_back();
  return text;
}

/// A decimal digit in ASCII.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
/// Whether a byte can be part of a name; those of characters beyond ASCII can.
bool isNamed(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || (c & 0x80);
}

/// Splits a template into tokens.
class Lexer {
public:
  Lexer(std::string_view source, const std::string &file)
      : source(normalised(source)), file(file) {}

  std::vector<Token> run() {
    while (at < source.size())
      takeText();
    add(Token::End, "");
    return std::move(tokens);
  }

private:
  std::string source;
  const std::string &file;
  std::vector<Token> tokens;
  size_t at = 0;
  bool atLineStart = true; // whether the preceding text ended a line
  // The place of `at` when it was last requested.
  size_t counted = 0;
  Place countedPlace;

  /// Whether the template has this text at a position, or at the current one.
  bool has(std::string_view what, size_t where) const {
    return source.compare(where, what.size(), what) == 0;
  }
  bool has(std::string_view what) const { return has(what, at); }

  /// Line and column of `at`. Counts on from the last request, so that all
  /// requests together take linear time.
  Place place() {
    for (; counted < at; ++counted)
      if (source[counted] == '\n')
        countedPlace = {countedPlace.line + 1, 1};
      else if ((source[counted] & 0xc0) != 0x80)
        ++countedPlace.column;
    return countedPlace;
  }
  void add(Token::Kind kind, std::string text) {
    tokens.push_back({kind, std::move(text), place()});
  }
  [[noreturn]] void fail(const std::string &message) {
    Place here = place();
    throw TemplateError(
        fmt::format("{}:{}:{}: {}", file, here.line, here.column, message));
  }

  /// Takes the text up to the next tag, and the tag.
  void takeText() {
    size_t open = at;
    while ((open = source.find('{', open)) != source.npos && !has("{%", open) &&
           !has("{{", open) && !has("{#", open))
      ++open;
    std::string text = source.substr(at, open - at);
    bool isTag = open != source.npos;
    char sign = isTag && open + 2 < source.size() ? source[open + 2] : ' ';
    if (isTag && sign == '-')
      text.resize(text.size() - trailingSpace(text));
    else if (isTag && sign != '+' && !has("{{", open))
      dropIndent(text);
    if (!text.empty())
      add(Token::Text, text);
    at = std::min(open, source.size());
    if (!isTag)
      return;
    if (has("{#"))
      skipComment();
    else if (size_t body = rawBody())
      takeRaw(body);
    else
      takeTag(sign == '-' || sign == '+');
  }

  /// Drops white space between the beginning of a line and a tag.
  void dropIndent(std::string &text) const {
    size_t begin = text.rfind('\n') + 1; // 0 if there is none
    if ((begin > 0 || atLineStart) &&
        leadingSpace(std::string_view(text).substr(begin)) ==
            text.size() - begin)
      text.resize(begin);
  }

  /// Skips the end of a tag, which `sign` precedes.
  void skipEnd(char sign, bool trimsLine) {
    at += 2;
    size_t end = at;
    if (sign == '-')
      at += leadingSpace(std::string_view(source).substr(at));
    else if (trimsLine && sign != '+' && has("\n"))
      ++at;
    atLineStart = at > end && source[at - 1] == '\n';
  }

  /// Skips {# … #}. A comment trims white space like a tag.
  void skipComment() {
    size_t close = source.find("#}", at + 2);
    if (close == source.npos)
      fail("the comment has no end; end it with #}");
    at = close;
    skipEnd(source[at - 1], true);
  }

  /// The position after white space.
  size_t skipSpace(size_t where) const {
    return where + leadingSpace(std::string_view(source).substr(where));
  }
  /// The position of the %} of a tag {% NAME %} whose {% is at `where`; 0 for
  /// other tags.
  size_t plainTag(size_t where, std::string_view name) const {
    where += 2;
    if (has("-", where) || has("+", where))
      ++where;
    where = skipSpace(where);
    if (!has(name, where))
      return 0;
    where = skipSpace(where + name.size());
    if (has("-", where) || has("+", where))
      ++where;
    return has("%}", where) ? where : 0;
  }
  /// The position of the %} of {% raw %} if this tag comes next, otherwise 0.
  size_t rawBody() const { return has("{%") ? plainTag(at, "raw") : 0; }

  /// Takes the text between {% raw %} and {% endraw %}, in which tags are text;
  /// the signs of both tags trim it as usual.
  void takeRaw(size_t close) {
    size_t body = close + 2;
    if (source[close - 1] == '-')
      body = skipSpace(body);
    size_t open = body, end = 0;
    for (; (open = source.find("{%", open)) != source.npos; ++open)
      if ((end = plainTag(open, "endraw")))
        break;
    if (open == source.npos)
      fail("{% raw %} has no end; end it with {% endraw %}");
    std::string text = source.substr(body, open - body);
    char sign = source[open + 2];
    if (sign == '-')
      text.resize(text.size() - trailingSpace(text));
    else if (sign != '+') {
      atLineStart = false;
      dropIndent(text);
    }
    if (!text.empty())
      add(Token::Text, text);
    at = end;
    skipEnd(source[at - 1], true);
  }

  /// Takes a tag with its tokens. An end of a tag inside of brackets is not
  /// one: the braces of {{ {"a": {}} }} are balanced first.
  void takeTag(bool hasSign) {
    bool prints = has("{{");
    add(prints ? Token::BeginPrint : Token::BeginTag, source.substr(at, 2));
    Place begin = place();
    at += 2 + hasSign;
    std::string open; // brackets
    while (true) {
      at = skipSpace(at);
      if (at >= source.size())
        throw TemplateError(
            fmt::format("{}:{}:{}: the tag has no end; end it with {}", file,
                        begin.line, begin.column, prints ? "}}" : "%}"));
      std::string_view close = prints ? "}}" : "%}";
      bool hasEndSign =
          (has("-") || (has("+") && !prints)) && has(close, at + 1);
      if (open.empty() && (has(close) || hasEndSign)) {
        add(prints ? Token::EndPrint : Token::EndTag, std::string(close));
        char sign = hasEndSign ? source[at] : ' ';
        at += hasEndSign;
        return skipEnd(sign, !prints);
      }
      takeToken(open);
    }
  }

  /// Takes one token of a tag; `open` are the brackets around it.
  void takeToken(std::string &open) {
    char c = source[at];
    if (c == '"' || c == '\'')
      return takeString(c);
    if (isDigit(c))
      return takeNumber();
    if (isNamed(c)) {
      size_t begin = at, end = at;
      while (end < source.size() && isNamed(source[end]))
        ++end;
      add(Token::Name, source.substr(begin, end - begin));
      at = end;
      return;
    }
    takeOperator(open);
  }

  /// Takes an operator or a bracket; longer operators come first in the list.
  void takeOperator(std::string &open) {
    constexpr std::string_view signs[] = {
        "//", "**", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<",
        ">",  "=",  "(",  ")",  "[",  "]",  "{", "}", ".", ",", ":", "|"};
    const auto *sign = std::ranges::find_if(
        signs, [&](std::string_view each) { return has(each); });
    if (sign == std::end(signs))
      fail(fmt::format("'{}' is not part of an expression",
                       source.substr(at, 1)));
    constexpr std::string_view opening = "([{", closing = ")]}";
    if (opening.find(source[at]) != opening.npos)
      open += source[at];
    if (size_t kind = closing.find(source[at]); kind != closing.npos) {
      if (open.empty() || open.back() != opening[kind])
        fail(fmt::format("'{}' closes nothing", source[at]));
      open.pop_back();
    }
    add(Token::Operator, std::string(*sign));
    at += sign->size();
  }

  /// Takes the digits at `end`, some of which may have _ before them.
  std::string digitsAt(size_t &end, unsigned base) const {
    std::string digits;
    auto isDigitAt = [&](size_t at) {
      return at < source.size() && runtime::chat::digitOf(source[at]) < base;
    };
    while (isDigitAt(end) ||
           (!digits.empty() && has("_", end) && isDigitAt(end + 1))) {
      end += source[end] == '_';
      digits += source[end++];
    }
    return digits;
  }

  /// Takes a number: 12, 1_000, 0x1f, 0o17, 0b11, 1.5, 2e3.
  void takeNumber() {
    size_t end = at;
    std::string digits = digitsAt(end, 10);
    bool isReal = false;
    if (has(".", end) && end + 1 < source.size() && isDigit(source[end + 1])) {
      isReal = true;
      digits += '.' + digitsAt(++end, 10);
    }
    if (has("e", end) || has("E", end)) {
      size_t power = end + 1 + (has("+", end + 1) || has("-", end + 1));
      if (power < source.size() && isDigit(source[power])) {
        isReal = true;
        digits += source.substr(end, power - end);
        digits += digitsAt(power, 10);
        end = power;
      }
    }
    if (!isReal) {
      end = at;
      digits = wholeNumber(end);
    }
    add(isReal ? Token::Float : Token::Integer, digits);
    at = end;
  }

  /// The digits of an integer in any base, converted to base 10.
  std::string wholeNumber(size_t &end) {
    char mark = end + 1 < source.size() && source[end] == '0'
                    ? static_cast<char>(source[end + 1] | 0x20)
                    : ' ';
    unsigned base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    size_t begin = base == 10 ? end : end + 2;
    // As in Python, the first digit may have _ before it here.
    if (base != 10 && has("_", begin))
      ++begin;
    std::string digits = digitsAt(begin, base);
    if (digits.empty()) { // 0x without a digit: 0 and a name
      base = 10;
      digits = digitsAt(begin = end, 10);
    } else if (base == 10 && digits[0] == '0') { // 012 is read as 0 and 12
      size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
      digits = "0";
      for (begin = end; zeros > 0; ++begin)
        zeros -= source[begin] == '0';
    }
    end = begin;
    try {
      runtime::chat::Integer value;
      runtime::chat::readDigits(digits, base, value);
      return runtime::chat::toString(value);
    } catch (const Error &error) {
      fail(error.what());
    }
  }

  /// Takes a string in quotes of either kind.
  void takeString(char quote) {
    size_t end = at + 1;
    while (end < source.size() && source[end] != quote)
      end += source[end] == '\\' ? 2 : 1;
    if (end >= source.size())
      fail("the string has no end");
    std::string value = unescaped(source.substr(at + 1, end - at - 1));
    add(Token::String, value);
    at = end + 1;
  }

  /// Replaces Python's escape sequences.
  std::string unescaped(std::string_view text) {
    std::string value;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        value += text[i];
        continue;
      }
      char c = text[++i];
      constexpr std::string_view names = "abfnrtv\\'\"",
                                 meanings = "\a\b\f\n\r\t\v\\'\"";
      if (c == '\n')
        continue;
      if (size_t known = names.find(c); known != names.npos)
        value += meanings[known];
      else if (c == 'N')
        appendNamed(value, text, i);
      else if (c == 'x' || c == 'u' || c == 'U')
        appendCode(value, text, i, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
      else if (c >= '0' && c <= '7') {
        size_t count = 1;
        while (count < 3 && i + count < text.size() && text[i + count] >= '0' &&
               text[i + count] <= '7')
          ++count;
        --i;
        appendCode(value, text, i, count, 8);
      } else
        (value += '\\') += c;
    }
    return value;
  }

  /// Appends the character whose name is in braces after text[i].
  void appendNamed(std::string &value, std::string_view text, size_t &i) {
    size_t close = text.find('}', i);
    if (i + 1 >= text.size() || text[i + 1] != '{' || close == text.npos)
      fail("a string has \\N without the name of a character in braces");
    std::string name(text.substr(i + 2, close - i - 2));
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
      return static_cast<char>(std::toupper(c));
    });
    auto code = llvm::sys::unicode::nameToCodepointStrict(name);
    if (!code)
      fail(fmt::format("no character has the name '{}'", name.substr(0, 60)));
    appendUtf8(value, *code);
    i = close;
  }

  /// Appends the character with the code in the `count` digits after text[i].
  void appendCode(std::string &value, std::string_view text, size_t &i,
                  size_t count, int base) {
    std::string digits(text.substr(i + 1, count));
    bool isRight =
        digits.size() == count &&
        digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
    uint32_t code =
        isRight ? static_cast<uint32_t>(std::stoul(digits, nullptr, base)) : 0;
    if (!isRight || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      fail("a string has an escape that is not a character");
    appendUtf8(value, code);
    i += count;
  }
};

} // namespace

std::vector<Token> tokensOf(std::string_view source, const std::string &file) {
  return Lexer(source, file).run();
}

} // namespace transfold::chat
