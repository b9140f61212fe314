// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats numbers as Python does. fmt yields the digits of real numbers;
// grouping, signs and prefixes are added here.

#include "runtime/chat/values/NumberForm.h"

#include "runtime/chat/values/Value.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace transfold::runtime::chat {

namespace {

/// The sign that precedes the digits; may be empty.
std::string signOf(bool isNegative, const NumberForm &form) {
  return isNegative ? "-" : form.sign == '-' ? "" : std::string(1, form.sign);
}

/// Inserts `mark` between groups of digits, counted from the point or the end.
std::string grouped(std::string digits, char mark, size_t group,
                    size_t width = 0) {
  size_t whole = std::min(digits.find_first_not_of("0123456789abcdefABCDEF"),
                          digits.size());
  auto sizeOf = [&](size_t count) { return count + (count - 1) / group; };
  for (; sizeOf(whole) + digits.size() - whole < width; ++whole)
    digits.insert(digits.begin(), '0');
  std::string result;
  for (size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % group == 0)
      result += mark;
    result += digits[i];
  }
  return result + digits.substr(whole);
}

/// The width left beside a sign.
size_t besideSign(const NumberForm &form, const std::string &sign) {
  return form.zerosUpTo > sign.size() ? form.zerosUpTo - sign.size() : 0;
}

/// The digits of |value|. Computed without a sign, since |-2^127| does not fit.
std::string magnitude(Integer value, unsigned base) {
  auto rest = static_cast<unsigned __int128>(value);
  if (value < 0)
    rest = ~rest + 1;
  std::string digits;
  do
    digits += "0123456789abcdef"[static_cast<size_t>(rest % base)];
  while (rest /= base);
  std::ranges::reverse(digits);
  return digits;
}

/// Converts ASCII letters to upper case.
void toUpper(std::string &text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
}

} // namespace

FormedNumber formed(Integer value, const NumberForm &form) {
  char kind = static_cast<char>(std::tolower(form.kind));
  unsigned base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
  FormedNumber result{signOf(value < 0, form), magnitude(value, base)};
  if (form.precision && result.digits.size() < *form.precision)
    result.digits.insert(0, *form.precision - result.digits.size(), '0');
  if (form.marked && base != 10)
    (result.sign += '0') += kind;
  if (form.grouping)
    result.digits = grouped(result.digits, form.grouping, base == 10 ? 3 : 4,
                            besideSign(form, result.sign));
  if (form.kind == 'X') {
    toUpper(result.digits);
    toUpper(result.sign);
  }
  return result;
}

FormedNumber formed(double value, const NumberForm &form) {
  FormedNumber result{signOf(std::signbit(value) && !std::isnan(value), form),
                      ""};
  double size = std::fabs(value);
  char kind = static_cast<char>(std::tolower(form.kind));
  size_t precision = form.precision.value_or(6);
  if (!std::isfinite(size))
    result.digits = std::isnan(size) ? "nan" : "inf";
  else if (kind == 'e')
    result.digits = form.marked ? fmt::format("{:#.{}e}", size, precision)
                                : fmt::format("{:.{}e}", size, precision);
  else if (kind == 'f' || kind == '%')
    result.digits =
        form.marked ? fmt::format("{:#.{}f}", kind == '%' ? size * 100 : size,
                                  precision)
                    : fmt::format("{:.{}f}", kind == '%' ? size * 100 : size,
                                  precision);
  else if (kind == 'g')
    result.digits = form.marked ? fmt::format("{:#.{}g}", size, precision)
                                : fmt::format("{:.{}g}", size, precision);
  else
    result.digits = spelled(size);
  if (kind == '%')
    result.digits += '%';
  if (form.grouping && std::isfinite(size))
    result.digits =
        grouped(result.digits, form.grouping, 3, besideSign(form, result.sign));
  if (form.kind != kind)
    toUpper(result.digits);
  return result;
}

} // namespace transfold::runtime::chat
