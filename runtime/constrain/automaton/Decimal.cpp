// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/automaton/Decimal.h"

#include <charconv>

namespace transfold::runtime::inline constrain {

Decimal Decimal::parse(std::string text) {
  Decimal result;
  result.isNegative = text.starts_with('-');
  if (result.isNegative)
    text.erase(0, 1);
  const size_t point = std::min(text.find('.'), text.size());
  result.integer = text.substr(0, point);
  if (point < text.size())
    result.fraction = text.substr(point + 1);
  while (result.fraction.ends_with('0'))
    result.fraction.pop_back();
  if (result.isZero())
    result.isNegative = false;
  return result;
}

Decimal Decimal::of(int64_t value) { return parse(std::to_string(value)); }
Decimal Decimal::of(uint64_t value) { return parse(std::to_string(value)); }

Decimal Decimal::of(double value) {
  char text[1200]; // the smallest number has 1,080 characters
  auto end =
      std::to_chars(text, std::end(text), value, std::chars_format::fixed).ptr;
  return parse({text, end});
}

Decimal Decimal::negated() const {
  Decimal result = *this;
  result.isNegative = !isNegative && !isZero();
  return result;
}

std::strong_ordering Decimal::operator<=>(const Decimal &other) const {
  if (isNegative != other.isNegative)
    return isNegative ? std::strong_ordering::less
                      : std::strong_ordering::greater;
  auto order = integer.size() <=> other.integer.size();
  if (order == 0)
    order = integer.compare(other.integer) <=> 0;
  if (order == 0) // a missing digit counts as a zero, which is less than others
    order = fraction.compare(other.fraction) <=> 0;
  return isNegative ? 0 <=> order : order;
}

bool DecimalRange::has(const Decimal &value) const {
  return (!low || value > low->value ||
          (value == low->value && !low->isExclusive)) &&
         (!high || value < high->value ||
          (value == high->value && !high->isExclusive));
}

bool DecimalRange::isEmpty() const {
  return low && high &&
         (low->value > high->value ||
          (low->value == high->value &&
           (low->isExclusive || high->isExclusive)));
}

void DecimalRange::raise(const Bound &bound) {
  if (!low || bound.value > low->value ||
      (bound.value == low->value && bound.isExclusive))
    low = bound;
}

void DecimalRange::lower(const Bound &bound) {
  if (!high || bound.value < high->value ||
      (bound.value == high->value && bound.isExclusive))
    high = bound;
}

} // namespace transfold::runtime::inline constrain
