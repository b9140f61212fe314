// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "%s of %d" % values: %s, %d, %f and %x, with flags, a width and a precision.

#include "runtime/Error.h"
#include "runtime/chat/Builtin.h"

#include <cmath>

namespace transfold::runtime::chat {

namespace {

struct Directive {
  bool left = false, zero = false, plus = false;
  size_t width = 0;
  std::optional<size_t> precision;
  char kind = 0;

  /// Reads what follows %.
  Directive(std::string_view text, size_t &at) {
    for (; at < text.size(); ++at)
      if (text[at] == '-')
        left = true;
      else if (text[at] == '0')
        zero = true;
      else if (text[at] == '+')
        plus = true;
      else
        break;
    width = number(text, at);
    if (at < text.size() && text[at] == '.')
      precision = number(text, ++at);
    kind = at < text.size() ? text[at++] : 0;
  }

private:
  static size_t number(std::string_view text, size_t &at) {
    size_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if ((value = value * 10 + static_cast<size_t>(text[at] - '0')) > 1000)
        fail("a format is wider than 1000 characters");
    return value;
  }
};

std::string numberIn(const Directive &directive, const Value &value) {
  auto number = value.number();
  if (!number)
    fail("%{} needs a number, not {}", directive.kind, typeName(value));
  if (directive.kind == 'f')
    return fmt::format("{:.{}f}", *number, directive.precision.value_or(6));
  double real = std::trunc(*number);
  if (!value.integer() && !(std::fabs(real) < 9.2e18))
    fail("%{}: the number is beyond 64 bits", directive.kind);
  int64_t whole = value.integer().value_or(static_cast<int64_t>(real));
  return directive.kind == 'x' ? fmt::format("{:x}", whole)
                               : std::to_string(whole);
}

Text inForm(const Directive &directive, const Value &value, Budget &budget) {
  Text text;
  switch (directive.kind) {
  case 's':
    text = asText(value, budget);
    if (directive.precision && *directive.precision < text.offsets().size())
      text = text.substr(0, text.offsets()[*directive.precision]);
    break;
  case 'd':
  case 'i':
  case 'f':
  case 'x':
    text = Text(numberIn(directive, value));
    if (directive.plus && !text.bytes.starts_with('-'))
      text = Text("+" + text.bytes);
    break;
  default:
    fail("a format has %s, %d, %f and %x only");
  }
  size_t count = text.offsets().size() - 1;
  size_t missing = directive.width > count ? directive.width - count : 0;
  bool zeros = directive.zero && !directive.left && directive.kind != 's';
  Text padding(std::string(missing, zeros ? '0' : ' '));
  if (directive.left) {
    text.append(padding);
    return text;
  }
  size_t sign =
      zeros && (text.bytes.starts_with('-') || text.bytes.starts_with('+')) ? 1
                                                                            : 0;
  Text result = text.substr(0, sign);
  result.append(padding);
  result.append(text.substr(sign));
  return result;
}

} // namespace

Text formatted(const Text &form, std::span<const Value> arguments,
               Budget &budget) {
  Text result;
  size_t used = 0, begin = 0;
  while (true) {
    size_t at = form.bytes.find('%', begin);
    result.append(form.substr(begin, std::min(at, form.size()) - begin));
    if (at == std::string::npos)
      break;
    begin = at + 1;
    if (begin < form.size() && form.bytes[begin] == '%') {
      result.append(form.substr(begin++, 1));
      continue;
    }
    Directive directive(form.bytes, begin);
    if (used == arguments.size())
      fail("a format has more places than there are values");
    Text part = inForm(directive, arguments[used++], budget);
    budget.make(part.size());
    result.append(part);
  }
  if (used < arguments.size())
    fail("a format has fewer places than there are values");
  return result;
}

} // namespace transfold::runtime::chat
