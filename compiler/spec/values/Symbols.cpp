// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbolic quotients. An atom is named by its text, "d / h", so that the same
// quotient is the same atom wherever it is computed.

#include "compiler/spec/values/Symbols.h"

#include <algorithm>

namespace transfold::spec {

/// The text of a size as an operand of a quotient, in parentheses if it is
/// compound.
static std::string operandText(const Dim &size) {
  std::string text = size.str();
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

Dim Symbols::quotient(const Dim &numerator, const Dim &denominator) {
  if (auto exact = normal(numerator).dividedBy(normal(denominator)))
    return *exact;
  std::string text = operandText(numerator) + " / " + operandText(denominator);
  bool known = names.count(text);
  Dim result = Dim::atom(text);
  if (known)
    return result;
  names[text] = "";
  // A rule rewrites a product of atoms, so it exists only for denominators that
  // are one; other quotients stay opaque.
  if (auto monomial = denominator.asMonomial();
      monomial && monomial->second > 0) {
    std::vector<std::string> atoms = monomial->first;
    atoms.push_back(text);
    rules.push_back({atoms, monomial->second, numerator});
  }
  return result;
}

Dim Symbols::floorQuotient(const Dim &numerator, int64_t denominator) {
  Dim result = numerator.floorQuotient(denominator);
  for (const auto &[atoms, coefficient] : result.monomials())
    for (const std::string &atom : atoms)
      // New are only the atoms that stand for the quotient.
      if (!isOfLengths(Dim::atom(atom)) && atom.find(" div ") != atom.npos)
        open.insert(atom);
  return result;
}

bool Symbols::isOfLengths(const Dim &size) const {
  return std::ranges::all_of(size.names(), [&](const std::string &name) {
    return lengths.count(name) > 0;
  });
}

Dim Symbols::unknown(const std::string &text) {
  open.insert(text);
  return Dim::atom(text);
}

void Symbols::name(const Dim &size, const std::string &name) {
  auto atom = size.asAtom();
  if (!atom)
    return;
  auto entry = names.find(*atom);
  if (entry != names.end() && entry->second.empty())
    entry->second = name;
}

void Symbols::addLength(const std::string &name) { lengths.insert(name); }

/// The sum of the terms, in the usual order, with the constant term last.
static IndexExprPtr sumOf(const Dim &size);

/// A length, or a quotient of lengths.
static IndexExprPtr valueOf(const std::string &atom) {
  auto quotient = Dim::quotientOf(atom);
  if (!quotient)
    return IndexExpr::length(atom);
  return IndexExpr::operation(
      ScalarOp::IntegerDivide,
      {sumOf(quotient->first),
       IndexExpr::constant(ExactScalar(quotient->second))});
}

/// |coefficient| * atom * atom …
static IndexExprPtr productOf(const std::vector<std::string> &atoms,
                              int64_t coefficient) {
  IndexExprPtr product;
  if (atoms.empty() || (coefficient != 1 && coefficient != -1))
    product = IndexExpr::constant(
        ExactScalar(coefficient < 0 ? -coefficient : coefficient));
  for (const std::string &atom : atoms) {
    IndexExprPtr value = valueOf(atom);
    product = product
                  ? IndexExpr::operation(ScalarOp::Multiply, {product, value})
                  : value;
  }
  return product;
}

static IndexExprPtr sumOf(const Dim &size) {
  IndexExprPtr sum;
  const Dim::Terms &terms = size.monomials();
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
    const auto &[atoms, coefficient] = *term;
    IndexExprPtr product = productOf(atoms, coefficient);
    if (sum)
      sum = IndexExpr::operation(
          coefficient < 0 ? ScalarOp::Subtract : ScalarOp::Add, {sum, product});
    else
      sum = coefficient < 0 ? IndexExpr::operation(ScalarOp::Negate, {product})
                            : product;
  }
  return sum ? sum : IndexExpr::constant(ExactScalar(int64_t(0)));
}

IndexExprPtr Symbols::numberOf(const Dim &size) const {
  return isOfLengths(size) ? sumOf(size) : nullptr;
}

Dim Symbols::normal(Dim size) const {
  // Each rule makes a term smaller or does not apply any more: a few passes
  // suffice.
  for (int pass = 0; pass < 8; ++pass) {
    Dim before = size;
    for (const Rule &rule : rules)
      size = size.replaced(rule.atoms, rule.factor, rule.by);
    if (size == before)
      break;
  }
  return size;
}

bool Symbols::same(const Dim &a, const Dim &b) const {
  if (a == b)
    return true;
  const Dim difference = normal(a) - normal(b);
  for (const auto &[atoms, coefficient] : difference.monomials())
    for (const std::string &atom : atoms)
      if (open.count(atom))
        return true;
  return difference == Dim(0);
}

std::string Symbols::show(const Dim &size) const {
  Dim shown = size;
  for (const auto &[atom, name] : names)
    if (!name.empty())
      shown = shown.replaced({atom}, 1, Dim::atom(name));
  return shown.str();
}

} // namespace transfold::spec
