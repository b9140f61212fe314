// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/NumberRules.h"

#include "runtime/constrain/automaton/Regex.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::inline constrain {

namespace {

// Without bounds, numbers still end: a model that only repeats a digit would
// not.
constexpr std::string_view anyInteger = "0|-?[1-9][0-9]{0,17}",
                           anyNumber = "-?(?:0|[1-9][0-9]{0,17})"
                                       "(?:\\.[0-9]{1,17})?"
                                       "(?:[eE][+-]?[0-9]{1,2})?";

Decimal decimalOf(const SchemaJson &number) {
  if (number.is_number_unsigned())
    return Decimal::of(number.get<uint64_t>());
  if (number.is_number_integer())
    return Decimal::of(number.get<int64_t>());
  return Decimal::of(number.get<double>());
}

} // namespace

NumberRules::NumberRules(const SchemaDocument &document,
                         const Conjunction &all) {
  for (SubschemaId id : all) {
    readBounds(document, id);
    readDivisor(document, id);
    readFormat(document, id);
  }
}

void NumberRules::readBounds(const SchemaDocument &document, SubschemaId id) {
  for (bool isLow : {true, false}) {
    const char *inclusive = isLow ? "minimum" : "maximum",
               *exclusive = isLow ? "exclusiveMinimum" : "exclusiveMaximum";
    auto use = [&](const SchemaJson &number, const char *keyword,
                   bool isExclusive) {
      if (!number.is_number())
        document.refuse(id, keyword, "must be a number");
      const DecimalRange::Bound bound = {decimalOf(number), isExclusive};
      isLow ? range.raise(bound) : range.lower(bound);
    };
    const SchemaJson *outer = document.find(id, exclusive);
    // In draft 4, the exclusive keyword says how the other one is meant.
    const bool isOld = outer && outer->is_boolean();
    if (const SchemaJson *bound = document.find(id, inclusive))
      use(*bound, inclusive, isOld && outer->get<bool>());
    if (outer && !isOld)
      use(*outer, exclusive, true);
  }
}

void NumberRules::readDivisor(const SchemaDocument &document, SubschemaId id) {
  constexpr double most = 2000;
  const SchemaJson *given = document.find(id, "multipleOf");
  if (!given)
    return;
  const double divisor = given->is_number() ? given->get<double>() : 0;
  if (!(divisor > 0))
    document.refuse(id, "multipleOf", "must be a number above 0");
  if (std::floor(divisor) != divisor || divisor > most)
    document.refuse(id, "multipleOf",
                    fmt::format("is supported only for integers up to {}",
                                static_cast<int>(most)));
  divisors.push_back(static_cast<uint32_t>(divisor));
}

void NumberRules::readFormat(const SchemaDocument &document, SubschemaId id) {
  const std::string *format = document.text(id, "format");
  if (!format || (*format != "int32" && *format != "int64"))
    return;
  const int64_t least = *format == "int32" ? INT32_MIN : INT64_MIN;
  range.raise({Decimal::of(least), false});
  range.lower({Decimal::of(-(least + 1)), false});
  divisors.push_back(1);
}

bool NumberRules::admits(const SchemaJson &number) const {
  const Decimal value = decimalOf(number);
  return range.has(value) && std::ranges::all_of(divisors, [&](uint32_t each) {
           uint64_t remainder = 0;
           for (char digit : value.integer)
             remainder =
                 (remainder * 10 + static_cast<uint64_t>(digit - '0')) % each;
           return value.isInteger() && remainder == 0;
         });
}

bool NumberRules::isDisjointFrom(const NumberRules &other) const {
  DecimalRange both = range;
  if (other.range.low)
    both.raise(*other.range.low);
  if (other.range.high)
    both.lower(*other.range.high);
  return both.isEmpty();
}

Dfa NumberRules::integers(ConstraintBudget &budget) const {
  if (isFree())
    return regexDfa(anyInteger, TextForm::Plain, RegexMatch::Whole, budget);
  Dfa result = integersIn(range, budget);
  for (uint32_t divisor : divisors)
    if (divisor != 1)
      result = Dfa::intersect(result, multiplesOf(divisor, budget), budget);
  return result;
}

Dfa NumberRules::numbers(ConstraintBudget &budget) const {
  if (isFree())
    return regexDfa(anyNumber, TextForm::Plain, RegexMatch::Whole, budget);
  Dfa whole = integers(budget);
  if (!divisors.empty())
    return whole;
  return Dfa::unite(whole, fractionsIn(range, budget), budget);
}

} // namespace transfold::runtime::inline constrain
