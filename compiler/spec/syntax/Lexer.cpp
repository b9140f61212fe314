// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lexer. It reads UTF-8 text whose validity Source::load has checked, and
// counts columns in code points.

#include "compiler/spec/syntax/Lexer.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <utility>

using namespace transfold::spec;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// `interface`, `axis` and `linear` are not among the keywords: the parser
/// recognizes these by their context.
static const std::set<std::string_view> allKeywords = {
    "model",   "library", "use",   "from",      "lengths", "sizes",  "parts",
    "weights", "block",   "entry", "task",      "config",  "names",  "for",
    "if",      "else",    "where", "return",    "expect",  "ignore", "as",
    "at",      "and",     "or",    "not",       "in",      "div",    "mod",
    "true",    "false",   "none",  "generation"};

/// Keywords that can begin a statement; a line end before them is a token.
static const std::set<std::string_view> beginners = {
    "use",   "lengths", "sizes",  "parts",  "weights", "block",
    "entry", "task",    "config", "names",  "model",   "library",
    "for",   "if",      "return", "expect", "ignore"};

/// Longest first, so that the first match is the longest one.
static constexpr std::string_view operators[] = {
    "??", "->", "==", "!=", "<=", ">=", "+:", "+", "-", "*", "/",
    "@",  "^",  "'",  "|",  "√",  "∞",  "?",  "<", ">", "=", ",",
    ":",  ";",  ".",  "(",  ")",  "{",  "}",  "[", "]"};

/// Spellings of Greek letters for keyboards without them. Both spellings denote
/// the same name.
static const std::map<std::string_view, std::string_view> greek = {
    {"eps", "ε"},   {"theta", "θ"}, {"gamma", "γ"}, {"beta", "β"},
    {"omega", "ω"}, {"mu", "μ"},    {"delta", "δ"}, {"pi", "π"}};

/// Characters from papers or other languages, and how to write them in a spec.
static const std::map<std::string_view, std::string_view> hints = {
    {"×", "write * (entry by entry) or @ (matrix product)"},
    {"·", "write * (entry by entry) or @ (matrix product)"},
    {"⋅", "write * (entry by entry) or @ (matrix product)"},
    {"−", "write -"},
    {"–", "write -"},
    {"≤", "write <="},
    {"≥", "write >="},
    {"≠", "write !="},
    {"∈", "write in"},
    {"²", "write ^2"},
    {"³", "write ^3"},
    {"ᵀ", "the transpose is written '"},
    {"⊤", "the transpose is written '"},
    {"’", "the transpose is written '"},
    {"“", "strings are written \"…\""},
    {"”", "strings are written \"…\""},
    {"#", "comments begin with //"},
    {"&", "write and"},
    {"!", "write not"},
    {"%", "write mod"}};

const std::set<std::string_view> &transfold::spec::keywords() {
  return allKeywords;
}

std::string transfold::spec::canonicalName(const std::string &spelling) {
  std::string result;
  for (size_t begin = 0; begin <= spelling.size();) {
    size_t end = std::min(spelling.find('_', begin), spelling.size());
    std::string piece = spelling.substr(begin, end - begin);
    auto letter = greek.find(piece);
    result += letter == greek.end() ? piece : std::string(letter->second);
    if (end < spelling.size())
      result += '_';
    begin = end + 1;
  }
  return result;
}

/// Normalizes (NFKC) letters that look alike: ϵ becomes ε, µ (the unit) becomes
/// μ.
static std::string normalised(const std::string &name) {
  if (std::all_of(name.begin(), name.end(),
                  [](unsigned char c) { return c < 0x80; }))
    return name;
  utf8proc_uint8_t *text =
      utf8proc_NFKC(reinterpret_cast<const utf8proc_uint8_t *>(name.c_str()));
  std::string result = text ? reinterpret_cast<char *>(text) : name;
  std::free(text);
  return result;
}

/// Letters of any alphabet and the underscore, but neither modifier letters nor
/// combining marks.
static bool isLetter(utf8proc_int32_t character) {
  switch (utf8proc_category(character)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LO:
    return true;
  default:
    return character == '_';
  }
}

/// Whether `c` is an ASCII digit; unlike std::isdigit, also valid for bytes of
/// other characters.
static bool isDigit(char c) { return c >= '0' && c <= '9'; }

//===----------------------------------------------------------------------===//
// The lexer
//===----------------------------------------------------------------------===//

namespace {
/// Splits the bytes from `offset` to `end` of a source into tokens. It reads a
/// piece of a source in place, so that tokens in a string have their true
/// places.
class Lexer {
public:
  Lexer(const Place &place, size_t offset, size_t end)
      : text(place.source->text), offset(offset), end(end), here(place) {}

  /// Adds what cannot be read to `errors`, and goes on after it.
  std::vector<Token> run(Errors &errors);

private:
  /// Emits the token at the cursor. Throws SpecError after the characters that
  /// cannot be read.
  void next();
  /// The character at the cursor, as UTF-8 text; empty at the end.
  std::string_view character() const;
  /// The character at the cursor, which must not be at the end.
  utf8proc_int32_t codePoint() const;
  /// Whether the text from the cursor to the end begins with `prefix`.
  bool startsWith(std::string_view prefix) const;
  /// Advances over `bytes` bytes of one line.
  void advance(size_t bytes);

  void space();
  /// Emits a name, a keyword, or `inf` as the operator ∞.
  void word();
  /// Emits a number: digits, a fraction and a decimal exponent.
  void number();
  /// Emits the content of a string. There are no escapes: a string ends at the
  /// next quote.
  void string();
  /// Emits an operator; false if the character begins none.
  bool operation();
  /// Appends the token that lies between `begin` and the cursor, and keeps
  /// `open` up to date.
  void emit(TokenKind kind, const Place &begin, size_t beginOffset,
            std::string text);
  /// Called before `next` is emitted: emits a pending line end if it ends a
  /// statement.
  void settleLine(const Token &next);

  const std::string &text;
  size_t offset, end;
  Place here;
  std::vector<Token> tokens;
  std::vector<char> open; // brackets
  bool newLine = false;   // since the last token
  Place newLinePlace;
};
} // namespace

std::string_view Lexer::character() const {
  if (offset >= end)
    return {};
  size_t length = 1;
  while (offset + length < end && (text[offset + length] & 0xC0) == 0x80)
    ++length;
  return std::string_view(text).substr(offset, length);
}

utf8proc_int32_t Lexer::codePoint() const {
  utf8proc_int32_t result = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(text.data()) +
                       offset,
                   end - offset, &result);
  return result;
}

bool Lexer::startsWith(std::string_view prefix) const {
  return std::string_view(text)
      .substr(offset, end - offset)
      .starts_with(prefix);
}

void Lexer::advance(size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if ((text[offset + i] & 0xC0) != 0x80)
      ++here.column;
  offset += bytes;
}

/// Skips blanks, comments and line ends.
void Lexer::space() {
  while (offset < end) {
    if (text[offset] == '\n') {
      if (!newLine)
        newLinePlace = here;
      newLine = true;
      ++offset;
      ++here.line;
      here.column = 1;
    } else if (text[offset] == ' ' || text[offset] == '\t' ||
               text[offset] == '\r') {
      advance(1);
    } else if (startsWith("//")) {
      advance(std::min(text.find('\n', offset), end) - offset);
    } else if (offset == 0 && startsWith("\uFEFF")) {
      offset += character().size(); // a byte order mark takes no column
    } else {
      return;
    }
  }
}

void Lexer::word() {
  Place begin = here;
  size_t beginOffset = offset;
  while (offset < end && (isLetter(codePoint()) || isDigit(text[offset])))
    advance(character().size());
  std::string name = normalised(text.substr(beginOffset, offset - beginOffset));

  // After a dot follows a key, even if it is spelled like a keyword: `.type`,
  // `.at`.
  bool key = !tokens.empty() && tokens.back().kind == TokenKind::Operator &&
             tokens.back().text == ".";
  if (!key && name == "inf")
    emit(TokenKind::Operator, begin, beginOffset, "∞");
  else if (!key && allKeywords.count(name))
    emit(TokenKind::Keyword, begin, beginOffset, name);
  else
    emit(TokenKind::Identifier, begin, beginOffset, canonicalName(name));
}

void Lexer::number() {
  Place begin = here;
  size_t beginOffset = offset;
  auto digits = [&] {
    while (offset < end && isDigit(text[offset]))
      advance(1);
  };
  auto digitAt = [&](size_t where) {
    return where < end && isDigit(text[where]);
  };
  digits();
  if (startsWith(".") && digitAt(offset + 1)) {
    advance(1);
    digits();
  }
  size_t mantissaEnd = offset;
  if (startsWith("e") || startsWith("E")) {
    bool sign = offset + 1 < end &&
                (text[offset + 1] == '-' || text[offset + 1] == '+');
    if (digitAt(offset + 1 + sign)) {
      advance(1 + sign);
      digits();
    }
  }
  std::string spelling = text.substr(beginOffset, offset - beginOffset);
  // Numbers are exact rationals: each digit costs time wherever they are used.
  int exponent = mantissaEnd == offset
                     ? 0
                     : std::atoi(text.substr(mantissaEnd + 1, 8).c_str());
  if (mantissaEnd - beginOffset > 100 || offset - mantissaEnd > 8 ||
      std::abs(exponent) > 400)
    throw SpecError(
        Code::MalformedNumber, begin, "this number has too many digits",
        {"Numbers have at most 100 digits and exponents up to 400."});
  emit(TokenKind::Number, begin, beginOffset, spelling);
}

void Lexer::string() {
  Place begin = here;
  size_t beginOffset = offset;
  size_t close = text.find_first_of("\"\n", offset + 1);
  if (close >= end || text[close] != '"') {
    close = std::min(close, end);
    advance(close - offset);
    emit(TokenKind::String, begin, beginOffset,
         text.substr(beginOffset + 1, close - beginOffset - 1));
    throw SpecError(Code::OpenString, begin,
                    "this string does not end on its line",
                    {"Strings are written \"…\"; the transpose is written '."});
  }
  advance(close + 1 - offset);
  emit(TokenKind::String, begin, beginOffset,
       text.substr(beginOffset + 1, close - beginOffset - 1));
}

bool Lexer::operation() {
  for (std::string_view spelling : operators) {
    if (!startsWith(spelling))
      continue;
    Place begin = here;
    size_t beginOffset = offset;
    advance(spelling.size());
    emit(TokenKind::Operator, begin, beginOffset, std::string(spelling));
    return true;
  }
  return false;
}

void Lexer::emit(TokenKind kind, const Place &begin, size_t beginOffset,
                 std::string meaning) {
  Token token{kind,
              std::move(meaning),
              text.substr(beginOffset, offset - beginOffset),
              {begin, here},
              beginOffset};
  settleLine(token);
  if (kind == TokenKind::Operator) {
    char c = token.text[0];
    if (c == '(' || c == '[' || c == '{')
      open.push_back(c);
    else if ((c == ')' || c == ']' || c == '}') && !open.empty())
      open.pop_back();
  }
  tokens.push_back(std::move(token));
}

/// A line end is a token unless it is inside ( ) or [ ], or the line cannot end
/// there, or the next token cannot begin a statement.
void Lexer::settleLine(const Token &next) {
  bool pending = std::exchange(newLine, false);
  if (!pending || tokens.empty())
    return;
  if (!open.empty() && open.back() != '{')
    return;

  const Token &last = tokens.back();
  static const std::set<std::string_view> enders = {
      ")",    "]",     "}",    "'",      "?",         "∞",
      "true", "false", "none", "config", "generation"};
  bool ends = last.kind == TokenKind::Identifier ||
              last.kind == TokenKind::Number ||
              last.kind == TokenKind::String || enders.count(last.text);
  bool begins =
      next.kind == TokenKind::Identifier || next.kind == TokenKind::End ||
      (next.kind == TokenKind::Keyword && beginners.count(next.text)) ||
      (next.kind == TokenKind::Operator && next.text == "}");
  if (ends && begins)
    tokens.push_back({TokenKind::NewLine,
                      "\n",
                      "\n",
                      {newLinePlace, newLinePlace},
                      last.offset});
}

void Lexer::next() {
  if (isDigit(text[offset]))
    return number();
  if (text[offset] == '"')
    return string();
  if (isLetter(codePoint()))
    return word();
  if (operation())
    return;
  Place place = here;
  std::string found(character());
  advance(found.size());
  auto hint = hints.find(found);
  throw SpecError(Code::UnexpectedCharacter, place,
                  fmt::format("unexpected character `{}`{}{}", found,
                              hint == hints.end() ? "" : ": ",
                              hint == hints.end() ? "" : hint->second));
}

std::vector<Token> Lexer::run(Errors &errors) {
  // Each error costs the time to copy its line, so that their number is
  // limited.
  for (space(); offset < end && !errors.areMany(); space())
    errors.attempt([&] { next(); });
  emit(TokenKind::End, here, offset, "");
  return std::move(tokens);
}

std::vector<Token>
transfold::spec::lex(const std::shared_ptr<const Source> &source,
                     Errors &errors) {
  return Lexer({source, 1, 1}, 0, source->text.size()).run(errors);
}

std::vector<Token> transfold::spec::lexPiece(const Place &place, size_t offset,
                                             size_t length) {
  Errors errors;
  std::vector<Token> tokens = Lexer(place, offset, offset + length).run(errors);
  errors.raise();
  return tokens;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::optional<Range> transfold::spec::wordAt(const Place &place) {
  const std::string line = place.source->line(place.line);
  const auto *bytes = reinterpret_cast<const utf8proc_uint8_t *>(line.data());
  unsigned column = 1, begin = 0; // 0: not in a word
  for (size_t i = 0; i <= line.size(); ++column) {
    utf8proc_int32_t character = 0;
    auto length = i < line.size()
                      ? utf8proc_iterate(bytes + i, line.size() - i, &character)
                      : 1;
    bool inside = i < line.size() && (isLetter(character) || isDigit(line[i]));
    if (inside && !begin)
      begin = column;
    if (!inside && begin && begin <= place.column && place.column <= column)
      return Range{{place.source, place.line, begin},
                   {place.source, place.line, column}};
    if (!inside)
      begin = 0;
    i += std::max<utf8proc_ssize_t>(length, 1);
  }
  return std::nullopt;
}

std::string transfold::spec::textOf(const Range &range) {
  const std::string line = range.begin.source->line(range.begin.line);
  std::string result;
  unsigned column = 0;
  for (char c : line) {
    column += (c & 0xC0) != 0x80;
    if (column >= range.begin.column && column < range.end.column)
      result += c;
  }
  return result;
}
