// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on two values, with Python's rules.

#include "base/Error.h"
#include "runtime/chat/values/Operators.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::chat {

namespace {

/// An operator as it is written, for messages.
const char *signOf(Op op) {
  switch (op) {
  case Op::Add:
    return "+";
  case Op::Subtract:
    return "-";
  case Op::Multiply:
    return "*";
  case Op::Divide:
    return "/";
  case Op::FloorDivide:
    return "//";
  case Op::Modulo:
    return "%";
  default:
    return "**";
  }
}

/// Exponentiation by squaring; `exponent` is not negative. Throws Error if the
/// result is too large.
Integer power(Integer base, Integer exponent) {
  Integer result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
      failLarge();
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
      failLarge();
  }
  return result;
}

/// Division that rounds down, and its remainder.
std::pair<Integer, Integer> floorDivided(Integer a, Integer b) {
  if (b == -1) {
    Integer negative;
    if (__builtin_sub_overflow(Integer{0}, a, &negative))
      failLarge();
    return {negative, 0};
  }
  Integer quotient = a / b, rest = a % b;
  if (rest != 0 && (rest < 0) != (b < 0))
    return {quotient - 1, rest + b};
  return {quotient, rest};
}

/// An operator on integers; nullopt if the result is a real number that is
/// computed as such.
std::optional<Value> ofIntegers(Op op, Integer a, Integer b) {
  Integer result = 0;
  bool isLarge = false;
  switch (op) {
  case Op::Add:
    isLarge = __builtin_add_overflow(a, b, &result);
    break;
  case Op::Subtract:
    isLarge = __builtin_sub_overflow(a, b, &result);
    break;
  case Op::Multiply:
    isLarge = __builtin_mul_overflow(a, b, &result);
    break;
  case Op::Divide: // computed with more precision than the result has
    return Value(static_cast<double>(static_cast<long double>(a) /
                                     static_cast<long double>(b)));
  case Op::FloorDivide:
    result = floorDivided(a, b).first;
    break;
  case Op::Modulo:
    result = floorDivided(a, b).second;
    break;
  default:
    if (b < 0)
      return std::nullopt;
    result = power(a, b);
  }
  if (isLarge)
    failLarge();
  return result;
}

/// The remainder of a division that rounds down: it has the sign of `b`.
double realRest(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest == 0)
    return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

/// a // b, computed from the remainder as in CPython's float_floor_div.
double realFloor(double a, double b) {
  double rest = std::fmod(a, b), quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(0.0, a / b);
  double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

/// a ** b. Throws Error where Python raises an exception or returns a complex
/// number.
double realPower(double a, double b) {
  if (a == 0 && b < 0)
    fail("zero has no negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
    fail("a power of {} is a complex number", spelled(a));
  double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    fail("a power is beyond the range of floats");
  return result;
}

/// An operator on real numbers.
double ofReals(Op op, double a, double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Divide:
    return a / b;
  case Op::FloorDivide:
    return realFloor(a, b);
  case Op::Modulo:
    return realRest(a, b);
  default:
    return realPower(a, b);
  }
}

/// text * times. The text so far is doubled, so that there are few operations.
Text repeated(const Text &text, size_t times) {
  Text result;
  if (text.empty() || times == 0)
    return result;
  if (times > SIZE_MAX / text.size())
    fail("a text is repeated {} times, which is too often", times);
  result.bytes.reserve(times * text.size());
  result.append(text);
  for (size_t all = times * text.size(); result.size() < all;)
    result.append(result, 0, std::min(result.size(), all - result.size()));
  return result;
}

/// list * times, for a list or a tuple.
Value repeated(const List &list, size_t times) {
  Values items;
  size_t count = list.items.size();
  if (count > 0 && times > SIZE_MAX / sizeof(Value) / count)
    fail("a list is repeated {} times, which is too often", times);
  step(count * times);
  items.reserve(count * times);
  for (size_t i = 0; i < times && count > 0; ++i)
    items.insert(items.end(), list.items.begin(), list.items.end());
  return Value::list(std::move(items), list.kind);
}

/// Whether + and * are defined: for lists and tuples alone.
bool mayBeJoined(const List *list) {
  return list && (list->kind == ListKind::List || list->isTuple());
}

/// Strings and lists: + and *. nullopt: not defined.
std::optional<Value> ofSequences(Op op, const Value &a, const Value &b) {
  if (op == Op::Add && a.text() && b.text()) {
    Text sum;
    sum.bytes.reserve(a.text()->size() + b.text()->size());
    sum.append(*a.text());
    sum.append(*b.text());
    return Value(std::move(sum));
  }
  const List *x = a.list(), *y = b.list();
  if (op == Op::Add && mayBeJoined(x) && mayBeJoined(y) && x->kind == y->kind) {
    Values items;
    items.reserve(x->items.size() + y->items.size());
    items.insert(items.end(), x->items.begin(), x->items.end());
    items.insert(items.end(), y->items.begin(), y->items.end());
    return Value::list(std::move(items), x->kind);
  }
  if (op == Op::Multiply)
    for (auto [value, count] : {std::pair(&a, &b), {&b, &a}})
      if ((value->text() || mayBeJoined(value->list())) && count->integer()) {
        auto times = static_cast<size_t>(
            std::max<int64_t>(narrowed(*count->integer()), 0));
        return value->text() ? Value(repeated(*value->text(), times))
                             : repeated(*value->list(), times);
      }
  return std::nullopt;
}

} // namespace

Value calculate(Op op, const Value &a, const Value &b) {
  if (op == Op::Modulo && a.text()) // also if the right operand is undefined
    return formatted(*a.text(), b);
  for (const Value *value : {&a, &b})
    if (value->isUndefined())
      fail("{} is undefined", value->undefinedName());
  bool divides = op == Op::Divide || op == Op::FloorDivide || op == Op::Modulo;
  if (auto x = a.number(), y = b.number(); x && y) {
    if (divides && *y == 0)
      fail("division by zero");
    if (a.integer() && b.integer())
      if (auto result = ofIntegers(op, *a.integer(), *b.integer()))
        return *result;
    return ofReals(op, *x, *y);
  }
  if (auto result = ofSequences(op, a, b))
    return *result;
  fail("'{}' is not defined between {} and {}", signOf(op), typeName(a),
       typeName(b));
}

Value negated(const Value &value) {
  if (const double *real = value.real())
    return -*real;
  auto integer = value.integer();
  if (!integer)
    fail("'-' needs a number, not {}",
         value.isUndefined() ? value.undefinedName() : typeName(value));
  return calculate(Op::Subtract, Integer{0}, *integer);
}

Value madeNumber(const Value &value) {
  if (value.real())
    return value;
  if (auto integer = value.integer())
    return *integer;
  fail("'+' needs a number, not {}",
       value.isUndefined() ? value.undefinedName() : typeName(value));
}

} // namespace transfold::runtime::chat
