// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elimination in triangular form. Each equation is solved for its newest
// unknown: values are numbered after those that they are computed from, and
// gauges are eliminated before the places that absorb them are fixed. The value
// of a solved unknown is reduced on demand and cached.

#include "compiler/fold/solve/System.h"

using namespace transfold;
using namespace transfold::fold;

System::System(std::vector<ExactScalar> constants, Arithmetic arithmetic)
    : constants(std::move(constants)), arithmetic(arithmetic) {}

/// Modulo 2 an exponent is 0 or 1.
GaugeSum System::settled(GaugeSum sum) const {
  if (arithmetic == Arithmetic::Rational)
    return sum;
  GaugeSum odd;
  for (const auto &[unknown, exponent] : sum.terms)
    if (exponent.isInteger() && exponent.numerator % 2)
      odd.terms.push_back({unknown, {1, 1}});
  return odd;
}

GaugeSum System::value(unsigned unknown) {
  if (unknown >= solved.size() || !solved[unknown])
    return GaugeSum(unknown);
  // Later equations may have solved unknowns of the stored sum. Storing the
  // reduced sum makes the next query short.
  GaugeSum reduced = reduce(*solved[unknown]);
  solved[unknown] = reduced;
  return settled(reduced * Exponent{-1, 1});
}

GaugeSum System::reduce(const GaugeSum &sum) {
  auto isSolved = [&](const GaugeSum::Term &term) {
    return term.first < solved.size() && solved[term.first];
  };
  if (llvm::none_of(sum.terms, isSolved))
    return settled(sum);
  GaugeSum reduced, rest;
  for (const auto &term : sum.terms)
    if (isSolved(term))
      reduced = reduced + value(term.first) * term.second;
    else
      rest.terms.push_back(term);
  return settled(reduced + rest);
}

bool System::isOne(const GaugeSum &sum) const {
  if (sum.terms.empty())
    return true;
  if (arithmetic == Arithmetic::Rational)
    return product(sum).isOne();
  bool negative = false;
  for (const auto &[constant, exponent] : sum.terms)
    negative ^= constants[constant].isNegative();
  return !negative;
}

ExactScalar System::product(const GaugeSum &sum) const {
  ExactScalar result;
  for (const auto &[constant, exponent] : sum.terms) {
    ExactScalar size = constants[constant];
    size.sign = 1;
    result = result * *size.power(exponent);
  }
  return result;
}

bool System::add(const GaugeSum &sum) {
  GaugeSum reduced = reduce(sum);
  if (reduced.terms.empty() || reduced.terms.back().first < constants.size())
    return isOne(reduced);
  // Terms are sorted, so the last one is the newest unknown; constants have the
  // lowest numbers and are never solved for.
  auto [newest, exponent] = reduced.terms.pop_back_val();
  if (solved.size() <= newest)
    solved.resize(newest + 1);
  solved[newest] = reduced * (Exponent{1, 1} / exponent);
  return true;
}

bool System::isFree(unsigned unknown) {
  GaugeSum left = value(unknown);
  return !left.terms.empty() && left.terms.back().first >= constants.size();
}
