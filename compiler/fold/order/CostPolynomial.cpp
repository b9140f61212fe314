// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of costs: a map from products of lengths to coefficients, without
// terms that are 0.

#include "compiler/fold/order/CostPolynomial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

using namespace transfold::fold;

CostPolynomial::CostPolynomial(const std::vector<Extent> &sizes) {
  double coefficient = 1;
  Lengths lengths;
  for (const Extent &size : sizes)
    if (size.length.empty())
      coefficient *= size.number;
    else
      lengths.push_back(size.length);
  std::sort(lengths.begin(), lengths.end());
  if (coefficient != 0)
    terms[lengths] = coefficient;
}

CostPolynomial &CostPolynomial::operator+=(const CostPolynomial &other) {
  for (const auto &[lengths, coefficient] : other.terms)
    terms[lengths] += coefficient;
  return *this;
}

bool CostPolynomial::isAtMost(const CostPolynomial &other) const {
  return std::all_of(terms.begin(), terms.end(), [&](const auto &term) {
    auto found = other.terms.find(term.first);
    return found != other.terms.end() && term.second <= found->second;
  });
}

double CostPolynomial::at(const std::map<std::string, double> &lengths) const {
  double sum = 0;
  for (const auto &[names, coefficient] : terms) {
    double product = coefficient;
    for (const std::string &name : names)
      product *= lengths.at(name);
    sum += product;
  }
  return sum;
}

double CostPolynomial::atAll(double length) const {
  double sum = 0;
  for (const auto &[names, coefficient] : terms)
    sum += coefficient * std::pow(length, static_cast<double>(names.size()));
  return sum;
}

std::string CostPolynomial::str() const {
  std::vector<std::string> texts;
  for (const auto &[names, coefficient] : terms) {
    std::string text = fmt::format("{:.15g}", coefficient);
    for (const std::string &name : names)
      text += " " + name;
    texts.push_back(text);
  }
  return texts.empty() ? "0" : fmt::format("{}", fmt::join(texts, " + "));
}
