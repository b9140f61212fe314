// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests: what may follow `is`.

#include "base/Error.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/values/Builtin.h"
#include "runtime/chat/values/Operators.h"

namespace transfold::runtime::chat {

namespace {

/// Short names, since each test has both parameters.
using M = Machine;
using B = Bound;

/// Tests of the type. True and False pass `number`, but not `integer`.
Value isDefined(M &, const B &given) { return !given[0].isUndefined(); }
Value isUndefined(M &, const B &given) { return given[0].isUndefined(); }
Value isNone(M &, const B &given) { return given[0].isNone(); }
Value isBoolean(M &, const B &given) { return given[0].boolean() != nullptr; }
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
/// As in Python, also true for undefined values, whose call fails.
Value isCallable(M &, const B &given) {
  return given[0].callable() || given[0].loop() || given[0].isUndefined();
}
/// Whether a value has a length and items by index; as in Python, also true for
/// undefined values.
Value isSequence(M &, const B &given) {
  return given[0].text() || given[0].dict() || given[0].isUndefined() ||
         (given[0].list() && given[0].list()->isSequence());
}
/// Whether a loop over the value is possible; undefined values have no items.
Value isIterable(M &, const B &given) {
  return given[0].text() || given[0].list() || given[0].dict() ||
         given[0].isUndefined() || given[0].loop();
}

/// The remainder of a division by `by`, which may be a real number.
Value restOf(const Value &value, const Value &by) {
  if (!value.isNumber() || !by.isNumber())
    fail("needs a number, not {}", typeName(value.isNumber() ? by : value));
  return calculate(Op::Modulo, value, by);
}
/// Remainders are Python's, with the sign of the divisor: -1 is odd.
Value isEven(M &, const B &given) {
  return !isTrue(restOf(given[0], Integer{2}));
}
Value isOdd(M &, const B &given) {
  return areEqual(restOf(given[0], Integer{2}), Integer{1});
}
Value isDivisible(M &, const B &given) {
  return !isTrue(restOf(given[0], given[1]));
}

Value isEqual(M &, const B &given) { return areEqual(given[0], given[1]); }
Value isOther(M &, const B &given) { return !areEqual(given[0], given[1]); }
Value isLess(M &, const B &given) { return chat::isLess(given[0], given[1]); }
Value isMore(M &, const B &given) { return chat::isLess(given[1], given[0]); }
Value isAtMost(M &, const B &given) {
  return chat::isAtMost(given[0], given[1]);
}
Value isAtLeast(M &, const B &given) {
  return chat::isAtMost(given[1], given[0]);
}
Value isIn(M &, const B &given) { return contains(given[1], given[0]); }
/// `is none`, `is true`: identity.
Value isSame(M &, const B &given) {
  return given[0].kind() == given[1].kind() && areEqual(given[0], given[1]);
}

Value isUpper(M &, const B &given) {
  return isAllIn(asText(given[0]), Case::Upper);
}
Value isLower(M &, const B &given) {
  return isAllIn(asText(given[0]), Case::Lower);
}
/// Whether there is a filter or a test of that name.
Value isFilter(M &, const B &given) {
  (void)hashOf(
      given[0]); // throws for values that cannot be looked up in a dict
  return given[0].text() && findFilter(given[0].text()->bytes);
}
Value isTest(M &, const B &given) {
  (void)hashOf(given[0]);
  return given[0].text() && findTest(given[0].text()->bytes);
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
    {"filter", "value", isFilter},
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
    {"test", "value", isTest},
    {"true", "value", isTrueItself},
    {"undefined", "value", isUndefined},
    {"upper", "value", isUpper},
};

} // namespace

constinit const std::span<const Builtin> allTests = table;

} // namespace transfold::runtime::chat
