// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// '{} of {total:>5}'.format(values)

#include "base/Error.h"
#include "base/text/Unicode.h"
#include "runtime/chat/values/Builtin.h"
#include "runtime/chat/values/NumberForm.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// The format specification after the colon:
/// [[fill]align][sign][#][0][width][,][.n][kind]
struct Spec {
  std::string fill = " ";
  char align = 0;
  bool zeros = false; // zeros before the digits of a number
  size_t width = 0;
  NumberForm form;

  explicit Spec(std::string_view text) {
    constexpr std::string_view aligns = "<>=^";
    size_t first = 0;
    if (!text.empty())
      nextCodePoint(text, first);
    if (first < text.size() && aligns.find(text[first]) != text.npos) {
      fill = text.substr(0, first);
      align = text[first];
      text.remove_prefix(first + 1);
    } else if (!text.empty() && aligns.find(text[0]) != text.npos) {
      align = text[0];
      text.remove_prefix(1);
    }
    if (char sign = skip(text, "+- "))
      form.sign = sign;
    form.marked = skip(text, "#");
    zeros = skip(text, "0") && !align;
    if (zeros)
      fill = "0";
    width = number(text);
    form.grouping = skip(text, ",_");
    if (form.grouping && zeros)
      form.zerosUpTo = width;
    if (skip(text, ".")) {
      if (text.empty() || text[0] < '0' || text[0] > '9')
        fail("a format has a point without a number after it");
      form.precision = number(text);
    }
    if (text.size() > 1)
      fail("'{}' is not the end of a format", shown(text));
    form.kind = text.empty() ? 0 : text[0];
  }

private:
  /// Takes the first character if it is one of `signs`; else returns 0.
  static char skip(std::string_view &text, std::string_view signs) {
    if (text.empty() || signs.find(text[0]) == signs.npos)
      return 0;
    char sign = text[0];
    text.remove_prefix(1);
    return sign;
  }
  /// Takes digits from the front; 0 if there are none. Throws Error if it is
  /// too large.
  static size_t number(std::string_view &text) {
    size_t value = 0;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9';
         text.remove_prefix(1))
      if ((value = value * 10 + static_cast<size_t>(text[0] - '0')) > widest)
        fail("a format is wider than {} characters", widest);
    return value;
  }
};

/// Throws the Error of a presentation type that the value does not have.
[[noreturn]] void failKind(const Spec &spec, const Value &value) {
  fail("there is no format '{}' of {}", shown({&spec.form.kind, 1}),
       typeName(value));
}

/// Formats an integer, as a real number if the type is one of those.
FormedNumber integerIn(const Spec &spec, const Value &value) {
  Integer number = *value.integer();
  switch (spec.form.kind) {
  case 0:
  case 'd':
  case 'n':
  case 'x':
  case 'X':
  case 'o':
  case 'b':
    if (spec.form.precision)
      fail("a format of an integer has no precision");
    return formed(number, spec.form);
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case '%':
    return formed(static_cast<double>(number), spec.form);
  default:
    failKind(spec, value);
  }
}

/// Formats with `precision` significant digits; uses an exponent if fixed
/// notation would not show them.
FormedNumber shortReal(double value, NumberForm form) {
  size_t precision = std::max<size_t>(*form.precision, 1);
  form.precision = precision - 1;
  form.kind = 'e';
  FormedNumber number = formed(value, form);
  size_t mark = number.digits.find('e');
  if (mark == std::string::npos) // not finite
    return number;
  int exponent = std::stoi(number.digits.substr(mark + 1));
  if (exponent >= -4 && exponent + 1 < static_cast<int>(precision)) {
    form.precision =
        static_cast<size_t>(static_cast<int>(precision) - 1 - exponent);
    form.kind = 'f';
    number = formed(value, form);
    size_t point = number.digits.find('.');
    number.digits.resize(
        std::max(number.digits.find_last_not_of('0') + 1, point + 2));
    return number;
  }
  std::string digits = number.digits.substr(0, mark);
  if (digits.find('.') != std::string::npos)
    digits.resize(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.'))
    digits.pop_back();
  number.digits = digits + number.digits.substr(mark);
  return number;
}

/// Formats a real number. Without a type, Python shows one digit after the
/// point at least (shortReal).
FormedNumber realIn(const Spec &spec, const Value &value) {
  NumberForm form = spec.form;
  constexpr std::string_view kinds = "eEfFgGn%";
  if (form.kind && kinds.find(form.kind) == kinds.npos)
    failKind(spec, value);
  if (form.kind == 'n')
    form.kind = 'g';
  if (form.kind || !form.precision)
    return formed(*value.real(), form);
  return shortReal(*value.real(), form);
}

/// Joins the parts, with the fill characters before, between or after them.
Text aligned(const Spec &spec, const Text &sign, const Text &text, char usual) {
  char align = spec.align ? spec.align : usual;
  size_t count = sign.length() + text.length();
  size_t missing = spec.width > count ? spec.width - count : 0;
  size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  auto filled = [&](size_t times) {
    Text filling;
    for (size_t i = 0; i < times; ++i)
      filling.append(spec.fill, Origin::Template);
    return filling;
  };
  Text result;
  if (align != '=')
    result.append(filled(before));
  result.append(sign);
  if (align == '=')
    result.append(filled(before));
  result.append(text);
  result.append(filled(missing - before));
  return result;
}

/// The character with code point `code`.
Text characterOf(const Spec &spec, Integer code) {
  if (spec.form.sign != '-' || spec.form.precision || code < 0 ||
      code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    fail("a format of a character needs its number");
  std::string character;
  appendUtf8(character, static_cast<char32_t>(code));
  return aligned(spec, Text(), Text(character), spec.zeros ? '=' : '<');
}

/// format(value, form).
Text inForm(const Value &value, std::string_view form) {
  if (form.empty())
    return asText(value);
  Spec spec(form);
  if (const Text *text = value.text()) {
    if ((spec.form.kind && spec.form.kind != 's') || spec.form.sign != '-' ||
        spec.form.marked || spec.form.grouping || spec.align == '=')
      fail("'{}' is not a format of a string", shown(form));
    return aligned(spec, Text(),
                   spec.form.precision
                       ? text->substr(0, text->placeOf(*spec.form.precision))
                       : *text,
                   '<');
  }
  if (!value.isNumber())
    fail("a {} has no format '{}'", typeName(value), shown(form));
  if (spec.form.kind == 'c' && value.integer())
    return characterOf(spec, *value.integer());
  FormedNumber number =
      value.real() ? realIn(spec, value) : integerIn(spec, value);
  return aligned(spec, Text(number.sign), Text(number.digits),
                 spec.zeros ? '=' : '>');
}

/// Formats one text.
class BraceFormatter {
public:
  BraceFormatter(Machine &machine, const Given &given)
      : machine(machine), given(given) {}

  /// A format specification may contain fields, whose specifications may not.
  Text run(const Text &form, unsigned depth = 2) {
    if (depth == 0)
      fail("a format has fields in fields of fields");
    Text result;
    std::string_view text = form.bytes;
    for (size_t at = 0; at < text.size();) {
      size_t brace = std::min(text.find_first_of("{}", at), text.size());
      result.append(form, at, brace);
      if (brace == text.size())
        break;
      if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {
        result.append(form, brace, brace + 1);
        at = brace + 2;
        continue;
      }
      if (text[brace] == '}')
        fail("a format has a }} that closes nothing; }}}} writes one");
      at = endOf(text, brace + 1);
      result.append(field(form.substr(brace + 1, at - brace - 2), depth));
    }
    return result;
  }

private:
  Machine &machine;
  const Given &given;
  /// Number of positional arguments taken by fields without a name.
  size_t used = 0;

  /// The position after the brace that closes the field that begins at `at`.
  static size_t endOf(std::string_view text, size_t at) {
    for (unsigned open = 1; at < text.size(); ++at) {
      open += (text[at] == '{') - (text[at] == '}');
      if (open == 0)
        return at + 1;
    }
    fail("a format has a {{ without a }}");
  }

  /// The text of a field, which is given without its braces:
  /// NAME!CONVERSION:SPEC.
  Text field(const Text &form, unsigned depth) {
    std::string_view text = form.bytes;
    size_t end = std::min(text.find_first_of("!:"), text.size());
    // A name in brackets may contain these characters.
    if (size_t open = text.find('['); open < end)
      end = std::min(
          text.find_first_of("!:", std::min(text.find(']', open), text.size())),
          text.size());
    Value value = looked(text.substr(0, end));
    if (end < text.size() && text[end] == '!') {
      char kind = end + 1 < text.size() ? text[end + 1] : ' ';
      if (kind != 's' && kind != 'r' && kind != 'a')
        fail("a format has !s, !r and !a only");
      value = kind == 's' ? asText(value) : asLiteral(value, kind == 'a');
      end += 2;
      if (end < text.size() && text[end] != ':')
        fail("a format has something between ! and :");
    }
    if (end >= text.size())
      return asText(value);
    Text inner = run(form.substr(end + 1), depth - 1);
    return inForm(value, inner.bytes);
  }

  /// Evaluates NAME, NAME.attribute, NAME[index]; a name may be a number or
  /// empty.
  Value looked(std::string_view path) {
    size_t end = std::min(path.find_first_of(".["), path.size());
    Value value = argument(path.substr(0, end));
    for (path.remove_prefix(end); !path.empty();) {
      bool isItem = path[0] == '[';
      size_t stop = isItem ? path.find(']') : path.find_first_of(".[", 1);
      if (isItem && stop == path.npos)
        fail("a format has a [ without a ]");
      std::string_view name = path.substr(1, std::min(stop, path.size()) - 1);
      Integer index;
      if (!isItem)
        value = machine.attribute(value, name);
      else
        value = machine.item(value, readDigits(name, 10, index)
                                        ? Value(index)
                                        : Value::text(name));
      path.remove_prefix(std::min(stop + isItem, path.size()));
    }
    return value;
  }

  /// The argument of a field: the next one if `name` is empty, else by number
  /// or name.
  Value argument(std::string_view name) {
    Integer index = static_cast<Integer>(used);
    if (name.empty())
      ++used;
    else if (!readDigits(name, 10, index)) {
      for (const auto &[known, value] : given.named)
        if (known == name)
          return value;
      fail("a format has the name '{}', which is not given", shown(name));
    }
    if (index >= static_cast<Integer>(given.positional.size()))
      fail("a format has more places than there are values");
    return given.positional[static_cast<size_t>(index)];
  }
};

} // namespace

Text formattedBraces(const Text &form, Machine &machine, const Given &given) {
  return BraceFormatter(machine, given).run(form);
}

} // namespace transfold::runtime::chat
