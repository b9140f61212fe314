// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "%s of %d" % values, with flags, a width and a precision.

#include "base/Error.h"
#include "base/text/Unicode.h"
#include "runtime/chat/values/Builtin.h"
#include "runtime/chat/values/NumberForm.h"

namespace transfold::runtime::chat {

namespace {

/// What follows a %: [(name)][flags][width][.precision][modifier]kind.
struct Directive {
  std::optional<std::string_view> name; // of %(name)s
  bool left = false, zeros = false;
  bool starWidth = false, starPrecision = false; // given by values
  size_t width = 0;
  NumberForm form;

  /// Parses the directive after %.
  Directive(std::string_view text, size_t &at) {
    if (at < text.size() && text[at] == '(')
      readName(text, at);
    while (at < text.size() && readFlag(text[at]))
      ++at;
    if ((starWidth = skip(text, at, '*')) == false)
      width = number(text, at);
    if (skip(text, at, '.') && !(starPrecision = skip(text, at, '*')))
      form.precision = number(text, at);
    if (at < text.size() &&
        (text[at] == 'h' || text[at] == 'l' || text[at] == 'L'))
      ++at; // length modifiers of C, which have no effect
    if (at == text.size())
      fail("a format ends in the middle of a %");
    form.kind = text[at++];
  }

private:
  /// Takes a character if it is `sign`.
  static bool skip(std::string_view text, size_t &at, char sign) {
    bool isThere = at < text.size() && text[at] == sign;
    at += isThere;
    return isThere;
  }
  /// Takes a name, whose parentheses must be balanced.
  void readName(std::string_view text, size_t &at) {
    size_t begin = ++at;
    for (unsigned open = 1; open > 0; ++at) {
      if (at == text.size())
        fail("a format has %( without a )");
      open += (text[at] == '(') - (text[at] == ')');
    }
    name = text.substr(begin, at - 1 - begin);
  }
  bool readFlag(char flag) {
    switch (flag) {
    case '-':
      return left = true;
    case '0':
      return zeros = true;
    case '#':
      return form.marked = true;
    case '+':
      form.sign = '+';
      return true;
    case ' ':
      form.sign = form.sign == '+' ? '+' : ' ';
      return true;
    default:
      return false;
    }
  }
  /// Takes digits; 0 if there are none. Throws Error if the number is too
  /// large.
  static size_t number(std::string_view text, size_t &at) {
    size_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if ((value = value * 10 + static_cast<size_t>(text[at] - '0')) > widest)
        fail("a format is wider than {} characters", widest);
    return value;
  }
};

/// Formats a number by its kind. Throws Error for other values.
FormedNumber numberIn(const NumberForm &form, const Value &value) {
  auto number = value.number();
  char kind = form.kind;
  if (!number || ((kind == 'x' || kind == 'X' || kind == 'o') && value.real()))
    fail("%{} needs {}, not {}", kind, number ? "an integer" : "a number",
         typeName(value));
  if (kind == 'e' || kind == 'f' || kind == 'g' || kind == 'E' || kind == 'F' ||
      kind == 'G')
    return formed(*number, form);
  return formed(value.integer() ? *value.integer() : wholeOf(*value.real()),
                form);
}

/// %c: a text of one character, or a code point.
Text character(const Value &value) {
  if (const Text *text = value.text(); text && text->length() == 1)
    return *text;
  auto code = value.integer();
  if (!code || *code < 0 || *code > 0x10ffff ||
      (*code >= 0xd800 && *code < 0xe000))
    fail("%c needs one character or its number");
  std::string result;
  appendUtf8(result, static_cast<char32_t>(*code));
  return Text(result);
}

/// Replaces the directives of one text.
class PercentFormatter {
public:
  PercentFormatter(const Text &form, const Value &given)
      : form(form), given(given) {
    if (const List *list = given.list(); list && list->isTuple())
      arguments = list->items;
    else
      arguments.push_back(given);
  }

  Text run() {
    for (size_t begin = 0;;) {
      size_t at = findIn(form.bytes, "%", begin);
      result.append(form, begin, std::min(at, form.size()));
      if (at == std::string::npos)
        break;
      begin = at + 1;
      Directive directive(form.bytes, begin);
      put(directive, form, begin - 1);
    }
    // As in Python: a value that has items by index could be a dict, so unused
    // arguments are accepted.
    const List *list = given.list();
    bool mayRemain = given.dict() || usesNames || given.isUndefined() ||
                     (list && list->isSequence() && !list->isTuple());
    if (used < arguments.size() && !mayRemain)
      fail("a format has fewer places than there are values");
    return std::move(result);
  }

private:
  const Text &form;
  const Value &given;
  Values arguments;
  size_t used = 0;
  /// Whether a directive had a name: the value is then a dict, and no argument
  /// itself.
  bool usesNames = false;
  Text result;

  /// The next positional argument. Throws Error if there is none.
  const Value &next() {
    if (used == arguments.size())
      fail("a format has more places than there are values");
    return arguments[used++];
  }
  /// The argument for a *.
  int64_t nextInteger() {
    const Value &value = next();
    if (!value.integer())
      fail("* in a format needs an integer, not {}", typeName(value));
    int64_t number = narrowed(*value.integer());
    if (number > static_cast<int64_t>(widest) ||
        number < -static_cast<int64_t>(widest))
      fail("a format is wider than {} characters", widest);
    return number;
  }
  const Value &argument(const Directive &directive) {
    if (!directive.name)
      return next();
    const Dict *dict = given.dict();
    if (!dict)
      fail("a format with names needs a dict, not {}", typeName(given));
    usesNames = true;
    const Value *found = dict->find(*directive.name);
    if (!found)
      fail("a format has the name '{}', which is not given",
           shown(*directive.name));
    return *found;
  }

  /// Appends what a directive stands for; `place` is that of its last character
  /// in `of`.
  void put(Directive &directive, const Text &of, size_t place) {
    if (directive.starWidth) {
      int64_t width = nextInteger();
      directive.left |= width < 0;
      directive.width = static_cast<size_t>(std::abs(width));
    }
    if (directive.starPrecision)
      directive.form.precision =
          static_cast<size_t>(std::max<int64_t>(nextInteger(), 0));
    if (directive.form.kind == '%')
      return result.append(of, place, place + 1);
    padded(directive, argument(directive));
  }

  /// Appends a value in the width of its directive.
  void padded(const Directive &directive, const Value &value) {
    Text text, sign;
    switch (directive.form.kind) {
    case 's':
    case 'r':
    case 'a':
      text = directive.form.kind == 's'
                 ? asText(value)
                 : asLiteral(value, directive.form.kind == 'a');
      if (directive.form.precision)
        text = text.substr(0, text.placeOf(*directive.form.precision));
      break;
    case 'c':
      text = character(value);
      break;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      FormedNumber number = numberIn(directive.form, value);
      sign = Text(number.sign);
      text = Text(number.digits);
      break;
    }
    default:
      fail("a format has %{}, which does not exist",
           shown({&directive.form.kind, 1}));
    }
    size_t count = text.length() + sign.length();
    size_t missing = directive.width > count ? directive.width - count : 0;
    bool isNumber = directive.form.kind != 's' && directive.form.kind != 'r' &&
                    directive.form.kind != 'a' && directive.form.kind != 'c';
    bool zeros = directive.zeros && !directive.left && isNumber;
    if (!directive.left && !zeros)
      result.append(std::string(missing, ' '), Origin::Template);
    result.append(sign);
    if (zeros)
      result.append(std::string(missing, '0'), Origin::Template);
    result.append(text);
    if (directive.left)
      result.append(std::string(missing, ' '), Origin::Template);
  }
};

} // namespace

Text formatted(const Text &form, const Value &given) {
  return PercentFormatter(form, given).run();
}

} // namespace transfold::runtime::chat
