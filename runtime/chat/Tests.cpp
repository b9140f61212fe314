// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests: what may stand behind `is`.

#include "runtime/Error.h"
#include "runtime/chat/Builtin.h"

namespace transfold::runtime::chat {

namespace {

using M = Machine;
using B = Bound;

Value isDefined(M &, const B &given) { return !given[0].isUndefined(); }
Value isUndefined(M &, const B &given) { return given[0].isUndefined(); }
Value isNone(M &, const B &given) { return given[0].isNone(); }
Value isBoolean(M &, const B &given) { return given[0].isTrueOrFalse(); }
Value isTrueItself(M &, const B &given) {
  return given[0].boolean() && *given[0].boolean();
}
Value isFalseItself(M &, const B &given) {
  return given[0].boolean() && !*given[0].boolean();
}
Value isInteger(M &, const B &given) { return given[0].isInteger(); }
Value isFloat(M &, const B &given) { return given[0].real() != nullptr; }
Value isNumber(M &, const B &given) { return given[0].isNumber(); }
Value isString(M &, const B &given) { return given[0].text() != nullptr; }
Value isMapping(M &, const B &given) { return given[0].dict() != nullptr; }
Value isCallable(M &, const B &given) {
  return given[0].callable() != nullptr || given[0].loop() != nullptr;
}
/// What has a length and items by their index; Python says so of what is
/// undefined, too.
Value isSequence(M &, const B &given) {
  return given[0].text() || given[0].list() || given[0].dict() ||
         given[0].isUndefined();
}
Value isIterable(M &machine, const B &given) {
  return *isSequence(machine, given).boolean() || given[0].loop();
}

int64_t number(const B &given, size_t index) {
  if (auto value = given[index].integer())
    return *value;
  fail("needs an integer, not {}", typeName(given[index]));
}
Value isEven(M &, const B &given) { return number(given, 0) % 2 == 0; }
Value isOdd(M &, const B &given) { return number(given, 0) % 2 != 0; }
Value isDivisible(M &, const B &given) {
  int64_t by = number(given, 1);
  if (by == 0)
    fail("division by zero");
  return by == -1 || number(given, 0) % by == 0;
}

Value isEqual(M &machine, const B &given) {
  return areEqual(given[0], given[1], machine.budget);
}
Value isOther(M &machine, const B &given) {
  return !areEqual(given[0], given[1], machine.budget);
}
Value isLess(M &machine, const B &given) {
  return chat::isLess(given[0], given[1], machine.budget);
}
Value isMore(M &machine, const B &given) {
  return chat::isLess(given[1], given[0], machine.budget);
}
Value isAtMost(M &machine, const B &given) {
  return areEqual(given[0], given[1], machine.budget) ||
         chat::isLess(given[0], given[1], machine.budget);
}
Value isAtLeast(M &machine, const B &given) {
  return areEqual(given[0], given[1], machine.budget) ||
         chat::isLess(given[1], given[0], machine.budget);
}
Value isIn(M &machine, const B &given) {
  return contains(given[1], given[0], machine.budget);
}
/// `is none`, `is true`: the same object.
Value isSame(M &machine, const B &given) {
  return given[0].kind() == given[1].kind() &&
         areEqual(given[0], given[1], machine.budget);
}

/// Whether it has letters and all are in that case.
bool allIn(const Text &text, Case form) {
  return inCase(text, form).bytes == text.bytes &&
         inCase(text, form == Case::Upper ? Case::Lower : Case::Upper).bytes !=
             text.bytes;
}
Value isUpper(M &machine, const B &given) {
  return allIn(asText(given[0], machine.budget), Case::Upper);
}
Value isLower(M &machine, const B &given) {
  return allIn(asText(given[0], machine.budget), Case::Lower);
}

constexpr Builtin table[] = {
    {"!=", "value other", isOther},
    {"<", "value other", isLess},
    {"<=", "value other", isAtMost},
    {"==", "value other", isEqual},
    {">", "value other", isMore},
    {">=", "value other", isAtLeast},
    {"boolean", "value", isBoolean},
    {"callable", "value", isCallable},
    {"defined", "value", isDefined},
    {"divisibleby", "value num", isDivisible},
    {"eq", "value other", isEqual},
    {"equalto", "value other", isEqual},
    {"even", "value", isEven},
    {"false", "value", isFalseItself},
    {"float", "value", isFloat},
    {"ge", "value other", isAtLeast},
    {"greaterthan", "value other", isMore},
    {"gt", "value other", isMore},
    {"in", "value seq", isIn},
    {"integer", "value", isInteger},
    {"iterable", "value", isIterable},
    {"le", "value other", isAtMost},
    {"lessthan", "value other", isLess},
    {"lower", "value", isLower},
    {"lt", "value other", isLess},
    {"mapping", "value", isMapping},
    {"ne", "value other", isOther},
    {"none", "value", isNone},
    {"number", "value", isNumber},
    {"odd", "value", isOdd},
    {"sameas", "value other", isSame},
    {"sequence", "value", isSequence},
    {"string", "value", isString},
    {"true", "value", isTrueItself},
    {"undefined", "value", isUndefined},
    {"upper", "value", isUpper},
};

} // namespace

constinit const std::span<const Builtin> allTests = table;

} // namespace transfold::runtime::chat
