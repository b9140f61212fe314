// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of two values, with Python's rules; integers have 64 bits.

#include "runtime/Error.h"
#include "runtime/chat/Interpreter.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::chat {

namespace {

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

[[noreturn]] void failLarge() { fail("an integer is beyond 64 bits"); }

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
      failLarge();
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
      failLarge();
  }
  return result;
}

/// Division that rounds down, and what is left of it.
std::pair<int64_t, int64_t> floorDivided(int64_t a, int64_t b) {
  if (b == -1) {
    int64_t negative;
    if (__builtin_sub_overflow(int64_t{0}, a, &negative))
      failLarge();
    return {negative, 0};
  }
  int64_t quotient = a / b, rest = a % b;
  if (rest != 0 && (rest < 0) != (b < 0))
    return {quotient - 1, rest + b};
  return {quotient, rest};
}

std::optional<Value> ofIntegers(Op op, int64_t a, int64_t b) {
  int64_t result = 0;
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
  case Op::FloorDivide:
    result = floorDivided(a, b).first;
    break;
  case Op::Modulo:
    result = floorDivided(a, b).second;
    break;
  case Op::Power:
    if (b < 0)
      return std::nullopt;
    result = power(a, b);
    break;
  default:
    return std::nullopt;
  }
  if (isLarge)
    failLarge();
  return result;
}

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
    return std::floor(a / b);
  case Op::Modulo: {
    double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  default:
    return std::pow(a, b);
  }
}

Value repeated(const Value &value, int64_t times, Budget &budget) {
  auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  const Text *text = value.text();
  size_t size = text ? text->size() : value.list()->items.size();
  size_t total;
  if (__builtin_mul_overflow(count, size, &total))
    total = SIZE_MAX / 2;
  budget.step(total / 16 + 1);
  budget.make(total);
  Text repeatedText;
  std::vector<Value> items;
  for (size_t i = 0; i < count && size > 0; ++i)
    if (text)
      repeatedText.append(*text);
    else
      items.insert(items.end(), value.list()->items.begin(),
                   value.list()->items.end());
  return text ? Value(std::move(repeatedText))
              : Value::list(std::move(items), value.list()->isTuple);
}

/// Strings and lists: +, * and %. None: not defined.
std::optional<Value> ofSequences(Op op, const Value &a, const Value &b,
                                 Budget &budget) {
  if (op == Op::Add && a.text() && b.text()) {
    Text sum = *a.text();
    sum.append(*b.text());
    budget.make(sum.size());
    return Value(std::move(sum));
  }
  const List *x = a.list(), *y = b.list();
  if (op == Op::Add && x && y && x->isTuple == y->isTuple) {
    std::vector<Value> items = x->items;
    items.insert(items.end(), y->items.begin(), y->items.end());
    budget.step(items.size());
    budget.make(items.size() * sizeof(Value));
    return Value::list(std::move(items), x->isTuple);
  }
  if (op == Op::Multiply)
    for (auto [value, times] : {std::pair(&a, &b), {&b, &a}})
      if ((value->text() || value->list()) && times->integer())
        return repeated(*value, *times->integer(), budget);
  if (op == Op::Modulo && a.text()) {
    if (y && y->isTuple)
      return formatted(*a.text(), y->items, budget);
    return formatted(*a.text(), std::span(&b, 1), budget);
  }
  return std::nullopt;
}

} // namespace

Value calculate(Op op, const Value &a, const Value &b, Budget &budget) {
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
  if (auto result = ofSequences(op, a, b, budget))
    return *result;
  fail("'{}' is not defined between {} and {}", signOf(op), typeName(a),
       typeName(b));
}

Value sliceOf(const Value &object, std::optional<int64_t> first,
              std::optional<int64_t> end, std::optional<int64_t> step,
              Budget &budget) {
  const Text *text = object.text();
  if (!text && !object.list())
    fail("{} has no slices",
         object.isUndefined() ? object.undefinedName() : typeName(object));
  int64_t by = step.value_or(1);
  if (by == 0)
    fail("a slice needs a step that is not 0");
  by = std::clamp(by, -INT64_MAX, INT64_MAX);
  std::vector<size_t> offsets;
  if (text)
    offsets = text->offsets();
  auto count = static_cast<int64_t>(text ? offsets.size() - 1
                                         : object.list()->items.size());
  auto inside = [&](std::optional<int64_t> place, int64_t otherwise) {
    int64_t least = by > 0 ? 0 : -1, most = by > 0 ? count : count - 1;
    if (!place)
      return otherwise;
    return std::clamp(*place < 0 ? *place + count : *place, least, most);
  };
  int64_t begin = inside(first, by > 0 ? 0 : count - 1);
  int64_t last = inside(end, by > 0 ? count : -1);
  Text part;
  std::vector<Value> items;
  for (int64_t i = begin; by > 0 ? i < last : i > last;) {
    auto at = static_cast<size_t>(i);
    budget.step();
    if (text)
      part.append(text->substr(offsets[at], offsets[at + 1] - offsets[at]));
    else
      items.push_back(object.list()->items[at]);
    if (__builtin_add_overflow(i, by, &i))
      break;
  }
  budget.make(part.size() + items.size() * sizeof(Value));
  return text ? Value(std::move(part))
              : Value::list(std::move(items), object.list()->isTuple);
}

} // namespace transfold::runtime::chat
