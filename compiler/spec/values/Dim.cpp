// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of polynomials over sizes. Terms are sorted and have no zero
// coefficients, so that equal sizes have equal terms.

#include "compiler/spec/values/Dim.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace transfold::spec {

// Sizes come from files with arbitrary content. INT64_MIN cannot be negated and
// counts as out of range, too.
static int64_t checkedSum(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result) || result == INT64_MIN)
    throw std::overflow_error("a size has over 63 bits");
  return result;
}

/// Throws std::overflow_error, as checkedSum does.
static int64_t checkedProduct(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result) || result == INT64_MIN)
    throw std::overflow_error("a size has over 63 bits");
  return result;
}

// Without these limits (d + 1)^1000 would exhaust the memory before its value
// is used.
static constexpr size_t mostTerms = 1000;
static constexpr size_t mostFactors = 64;

Dim::Dim(int64_t number) {
  if (number)
    terms[{}] = number;
}

Dim Dim::atom(const std::string &name) {
  Dim result;
  result.terms[{name}] = 1;
  return result;
}

std::optional<int64_t> Dim::asNumber() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::optional<std::string> Dim::asAtom() const {
  if (terms.size() == 1 && terms.begin()->first.size() == 1 &&
      terms.begin()->second == 1)
    return terms.begin()->first.front();
  return std::nullopt;
}

Dim Dim::withoutNumber() const {
  Dim result = *this;
  result.terms.erase(std::vector<std::string>());
  return result;
}

Dim Dim::operator+(const Dim &other) const {
  Dim result = *this;
  for (const auto &[atoms, coefficient] : other.terms) {
    int64_t &sum = result.terms[atoms];
    sum = checkedSum(sum, coefficient);
    if (sum == 0)
      result.terms.erase(atoms);
  }
  return result;
}

Dim Dim::operator-(const Dim &other) const { return *this + other * Dim(-1); }

Dim Dim::operator*(const Dim &other) const {
  Dim result;
  if (terms.size() * other.terms.size() > mostTerms)
    throw std::overflow_error("a size is a sum of too many products");
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      std::vector<std::string> atoms(left);
      atoms.insert(atoms.end(), right.begin(), right.end());
      if (atoms.size() > mostFactors)
        throw std::overflow_error("a size is a product of too many sizes");
      std::sort(atoms.begin(), atoms.end());
      int64_t &sum = result.terms[atoms];
      sum = checkedSum(sum, checkedProduct(a, b));
      if (sum == 0)
        result.terms.erase(atoms);
    }
  return result;
}

/// Long division by the leading term, in the order of degrees. It terminates
/// because each step removes the leading term of the remainder.
std::optional<Dim> Dim::dividedBy(const Dim &other) const {
  auto before = [](const auto &a, const auto &b) {
    return std::pair(a.first.size(), a.first) <
           std::pair(b.first.size(), b.first);
  };
  if (other.terms.empty())
    return std::nullopt;
  const auto &[divisor, divisorFactor] =
      *std::max_element(other.terms.begin(), other.terms.end(), before);
  Dim quotient, rest = *this;
  while (!rest.terms.empty()) {
    const auto &[leading, factor] =
        *std::max_element(rest.terms.begin(), rest.terms.end(), before);
    if (factor % divisorFactor != 0 ||
        !std::includes(leading.begin(), leading.end(), divisor.begin(),
                       divisor.end()))
      return std::nullopt;
    Dim step;
    std::vector<std::string> atoms;
    std::set_difference(leading.begin(), leading.end(), divisor.begin(),
                        divisor.end(), std::back_inserter(atoms));
    step.terms[atoms] = factor / divisorFactor;
    quotient = quotient + step;
    rest = rest - step * other;
  }
  return quotient;
}

Dim Dim::replaced(std::vector<std::string> atoms, int64_t factor,
                  const Dim &by) const {
  std::sort(atoms.begin(), atoms.end());
  Dim result;
  for (const auto &[own, coefficient] : terms) {
    Dim term;
    if (coefficient % factor == 0 &&
        std::includes(own.begin(), own.end(), atoms.begin(), atoms.end())) {
      std::vector<std::string> rest;
      std::set_difference(own.begin(), own.end(), atoms.begin(), atoms.end(),
                          std::back_inserter(rest));
      term.terms[rest] = coefficient / factor;
      term = term * by;
    } else {
      term.terms[own] = coefficient;
    }
    result = result + term;
  }
  return result;
}

std::optional<std::pair<std::vector<std::string>, int64_t>>
Dim::asMonomial() const {
  if (terms.size() != 1)
    return std::nullopt;
  return *terms.begin();
}

Dim Dim::floorDividedBy(int64_t divisor, bool &exact) const {
  Dim quotient;
  exact = true;
  for (const auto &[atoms, coefficient] : terms) {
    int64_t floor = coefficient / divisor - (coefficient % divisor < 0);
    exact &= atoms.empty() || coefficient % divisor == 0;
    if (floor)
      quotient.terms[atoms] = floor;
  }
  return quotient;
}

/// "h * d_k": short names first, as products of sizes are usually written.
static std::string product(std::vector<std::string> atoms) {
  std::sort(atoms.begin(), atoms.end(), [](const auto &a, const auto &b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  std::string text;
  for (size_t k = 0; k < atoms.size();) {
    size_t end = k;
    while (end < atoms.size() && atoms[end] == atoms[k])
      ++end;
    bool compound = atoms[k].find(' ') != std::string::npos;
    text += (text.empty() ? "" : " * ") +
            (compound ? "(" + atoms[k] + ")" : atoms[k]);
    if (end - k > 1)
      text += "^" + std::to_string(end - k);
    k = end;
  }
  return text;
}

std::string Dim::str() const {
  if (terms.empty())
    return "0";
  // Highest degree first: N + 1.
  std::vector<std::pair<std::vector<std::string>, int64_t>> sorted(
      terms.begin(), terms.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return std::pair(b.first.size(), a.first) <
           std::pair(a.first.size(), b.first);
  });
  if (sorted.size() == 1 && sorted[0].second == 1 &&
      sorted[0].first.size() == 1)
    return sorted[0].first[0];
  std::string text;
  for (const auto &[atoms, coefficient] : sorted) {
    int64_t size = std::abs(coefficient);
    text += text.empty() ? (coefficient < 0 ? "-" : "")
                         : (coefficient < 0 ? " - " : " + ");
    if (atoms.empty())
      text += std::to_string(size);
    else
      text += (size == 1 ? "" : std::to_string(size) + " * ") + product(atoms);
  }
  return text;
}

} // namespace transfold::spec
