// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Automata of decimal numbers in a range. One automaton compares numbers that
// are not negative with a bound: a number with fewer digits before the point is
// less, one with more is greater, else the first different digit decides.

#include "runtime/constrain/automaton/Decimal.h"
#include "runtime/constrain/automaton/Regex.h"

#include <algorithm>
#include <array>

namespace transfold::runtime::inline constrain {

namespace {

/// How a number compares with the bound.
enum class Order : uint8_t { Less, Equal, Greater };
constexpr size_t orders = 3;

/// The orders in which a number is accepted.
struct Accepted {
  bool less, equal, greater;
  bool has(Order order) const {
    return order == Order::Less    ? less
           : order == Order::Equal ? equal
                                   : greater;
  }
};

/// Builds the automaton that compares with `bound`, which must not be negative.
///
/// State 0 is the beginning. After i digits of n there is a state for each
/// order of these digits, then one for more than n digits, and one for "0".
/// After the point there are, for each order that was decided before it, a
/// state without digits and one with digits, and else one for each number of
/// equal digits.
class ComparisonBuilder {
public:
  ComparisonBuilder(const Decimal &bound, Accepted accepted, bool hasFraction,
                    ConstraintBudget &budget)
      : bound(bound), accepted(accepted), hasFraction(hasFraction),
        budget(budget), length(bound.integer.size()),
        longer(static_cast<uint32_t>(1 + orders * length)), zero(longer + 1),
        decided(zero + 1), equal(static_cast<uint32_t>(decided + 2 * orders)) {}

  Dfa run() {
    addDigits(0, Order::Equal);
    finish(false);
    for (size_t i = 1; i <= length; ++i)
      for (size_t order = 0; order < orders; ++order)
        addInteger(i, static_cast<Order>(order));
    edges.push_back({'0', '9', longer});
    addPoint(Order::Greater);
    finish(!hasFraction && accepted.has(Order::Greater));
    const Order ofZero = bound.integer == "0" ? Order::Equal : Order::Less;
    addPoint(ofZero);
    finish(!hasFraction && accepted.has(whole(ofZero)));
    if (hasFraction)
      addFractions();
    result.trim(budget);
    return std::move(result);
  }

private:
  const Decimal &bound;
  const Accepted accepted;
  const bool hasFraction;
  ConstraintBudget &budget;
  const size_t length;
  const uint32_t longer, zero, decided, equal;
  Dfa result;
  std::vector<Dfa::Edge> edges;

  void finish(bool accepts) {
    std::ranges::sort(edges, {}, &Dfa::Edge::low);
    result.add(accepts, edges, budget);
    edges.clear();
  }

  /// The order of a number without digits after the point.
  Order whole(Order ofInteger) const {
    return ofInteger == Order::Equal && !bound.fraction.empty() ? Order::Less
                                                                : ofInteger;
  }
  uint32_t afterDigits(size_t count, Order order) const {
    return static_cast<uint32_t>(1 + orders * (count - 1) +
                                 static_cast<size_t>(order));
  }

  /// Edges for the digit number i, from 0.
  void addDigits(size_t i, Order order) {
    for (char digit = '0'; digit <= '9'; ++digit) {
      auto byte = static_cast<uint8_t>(digit);
      const Order next = order != Order::Equal      ? order
                         : digit < bound.integer[i] ? Order::Less
                         : digit > bound.integer[i] ? Order::Greater
                                                    : Order::Equal;
      edges.push_back(
          {byte, byte,
           i == 0 && digit == '0' ? zero : afterDigits(i + 1, next)});
    }
  }

  void addInteger(size_t digits, Order order) {
    if (digits < length)
      addDigits(digits, order);
    else
      edges.push_back({'0', '9', longer});
    const Order ofInteger = digits < length ? Order::Less : order;
    addPoint(ofInteger);
    finish(!hasFraction && accepted.has(whole(ofInteger)));
  }

  void addPoint(Order ofInteger) {
    if (hasFraction)
      edges.push_back({'.', '.',
                       ofInteger == Order::Equal
                           ? equal
                           : decided + 2 * static_cast<uint32_t>(ofInteger)});
  }

  void addFractions() {
    for (size_t order = 0; order < orders; ++order) {
      const auto some = static_cast<uint32_t>(decided + 2 * order + 1);
      for (bool hasDigits : {false, true}) {
        edges.push_back({'0', '9', some});
        finish(hasDigits && accepted.has(static_cast<Order>(order)));
      }
    }
    const size_t digits = bound.fraction.size();
    // One state more than there are digits, for the case that there are none.
    for (size_t i = 0; i <= digits + 1; ++i) {
      const char mine = i < digits ? bound.fraction[i] : '0';
      for (char digit = '0'; digit <= '9'; ++digit) {
        auto byte = static_cast<uint8_t>(digit);
        const uint32_t same =
            equal + static_cast<uint32_t>(std::min(i + 1, digits + 1));
        edges.push_back(
            {byte, byte,
             digit == mine
                 ? same
                 : decided +
                       2 * static_cast<uint32_t>(
                               digit < mine ? Order::Less : Order::Greater) +
                       1});
      }
      finish(i > 0 && accepted.has(i < digits ? Order::Less : Order::Equal));
    }
  }
};

/// Numbers that are not negative in a range.
Dfa notNegative(const DecimalRange &range, bool hasFraction,
                ConstraintBudget &budget) {
  auto compare = [&](const Decimal &bound, Accepted accepted) {
    return ComparisonBuilder(bound, accepted, hasFraction, budget).run();
  };
  if (range.high && range.high->value.isNegative)
    return {};
  Dfa result = compare({}, {false, true, true});
  if (range.low && !range.low->value.isNegative)
    result = compare(range.low->value, {false, !range.low->isExclusive, true});
  if (range.high)
    result = Dfa::intersect(
        result,
        compare(range.high->value, {true, !range.high->isExclusive, false}),
        budget);
  return result;
}

/// Joins the automata of numbers that are not negative and of those that
/// follow a "-".
Dfa withSign(const Dfa &positive, const Dfa &negative,
             ConstraintBudget &budget) {
  Dfa result;
  std::vector<Dfa::Edge> edges;
  const auto shift = static_cast<uint32_t>(1 + positive.size());
  auto addShifted = [&](const Dfa &dfa, uint32_t state, uint32_t by) {
    for (Dfa::Edge edge : dfa.edges(state)) {
      edge.next += by;
      edges.push_back(edge);
    }
  };
  if (!negative.isEmpty())
    edges.push_back({'-', '-', shift});
  if (!positive.isEmpty())
    addShifted(positive, 0, 1);
  result.add(false, edges, budget);
  for (const Dfa *dfa : {&positive, &negative})
    for (uint32_t state = 0; state < dfa->size(); ++state) {
      edges.clear();
      addShifted(*dfa, state, dfa == &positive ? 1 : shift);
      result.add(dfa->accepts(state), edges, budget);
    }
  result.trim(budget);
  return result;
}

/// Numbers in a range, of both signs; -0 is not among them.
Dfa numbersIn(const DecimalRange &range, bool hasFraction,
              ConstraintBudget &budget) {
  DecimalRange mirrored = {
      .low = DecimalRange::Bound{.value = {}, .isExclusive = true}, .high = {}};
  auto mirror = [](const DecimalRange::Bound &bound) {
    return DecimalRange::Bound{bound.value.negated(), bound.isExclusive};
  };
  if (range.high)
    mirrored.raise(mirror(*range.high));
  if (range.low)
    mirrored.lower(mirror(*range.low));
  return withSign(notNegative(range, hasFraction, budget),
                  notNegative(mirrored, hasFraction, budget), budget);
}

/// At most `most` characters.
Dfa limited(const Dfa &dfa, size_t most, ConstraintBudget &budget) {
  const Dfa limit = regexDfa(fmt::format("-?[0-9.]{{1,{}}}", most),
                             TextForm::Plain, RegexMatch::Whole, budget);
  return Dfa::intersect(dfa, limit, budget);
}

} // namespace

Dfa integersIn(const DecimalRange &range, ConstraintBudget &budget) {
  size_t digits = 18;
  for (const auto &bound : {range.low, range.high})
    if (bound)
      digits = std::max(digits, bound->value.integer.size() + 1);
  return limited(numbersIn(range, false, budget), digits, budget);
}

Dfa fractionsIn(const DecimalRange &range, ConstraintBudget &budget) {
  return limited(numbersIn(range, true, budget), 15, budget);
}

Dfa multiplesOf(uint32_t divisor, ConstraintBudget &budget) {
  // State 0 is the beginning, 1 is after "-", 2 after "0"; then one for each
  // remainder.
  Dfa result;
  std::vector<Dfa::Edge> edges;
  auto addDigits = [&](uint32_t remainder, char first) {
    for (char digit = first; digit <= '9'; ++digit) {
      auto byte = static_cast<uint8_t>(digit);
      const uint64_t next =
          (uint64_t{remainder} * 10 + static_cast<uint64_t>(digit - '0')) %
          divisor;
      edges.push_back({byte, byte, static_cast<uint32_t>(3 + next)});
    }
  };
  edges = {{'-', '-', 1}, {'0', '0', 2}};
  addDigits(0, '1');
  result.add(false, edges, budget);
  edges.clear();
  addDigits(0, '1');
  result.add(false, edges, budget);
  result.add(true, {}, budget);
  for (uint32_t remainder = 0; remainder < divisor; ++remainder) {
    edges.clear();
    addDigits(remainder, '0');
    result.add(remainder == 0, edges, budget);
  }
  result.trim(budget);
  return result;
}

} // namespace transfold::runtime::inline constrain
