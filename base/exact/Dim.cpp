// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of polynomials over sizes. Terms are sorted and have no zero
// coefficients, so that equal sizes have equal terms.

#include "base/exact/Dim.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace transfold {

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

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

std::optional<std::pair<Dim, int64_t>>
Dim::quotientOf(const std::string &atom) {
  static constexpr std::string_view between = " div ";
  const size_t found = atom.rfind(between);
  if (found == std::string::npos)
    return std::nullopt;
  auto above = Dim::parse(std::string_view(atom).substr(0, found));
  auto below =
      Dim::parse(std::string_view(atom).substr(found + between.size()));
  auto divisor = below ? below->asNumber() : std::nullopt;
  if (!above || !divisor || *divisor < 1)
    return std::nullopt;
  return std::pair(*above, *divisor);
}

/// For a positive divisor.
static int64_t floorOf(int64_t number, int64_t divisor) {
  return number / divisor - (number % divisor < 0);
}

/// The text of a size as an operand, in parentheses if it is compound.
static std::string operandText(const Dim &size) {
  std::string text = size.str();
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

Dim Dim::floorQuotient(int64_t divisor) const {
  Dim whole, rest;
  int64_t common = divisor;
  for (const auto &[atoms, coefficient] : terms) {
    const int64_t floor = floorOf(coefficient, divisor);
    if (floor)
      whole.terms[atoms] = floor;
    const int64_t left = coefficient - floor * divisor;
    if (left)
      rest.terms[atoms] = left;
    if (!atoms.empty())
      common = std::gcd(common, left);
  }
  if (rest.asNumber()) // below the divisor
    return whole;
  // (2 * n + 1) div 4 = n div 2
  Dim reduced;
  for (const auto &[atoms, coefficient] : rest.terms)
    if (coefficient / common)
      reduced.terms[atoms] = coefficient / common;
  divisor /= common;
  if (divisor == 1)
    return whole + reduced;
  // (x div a + b) div c = (x + a * b) div (a * c)
  const Dim variable = reduced.withoutNumber();
  if (auto atom = variable.asAtom())
    if (auto inner = quotientOf(*atom))
      return whole + (inner->first + (reduced - variable) * inner->second)
                         .floorQuotient(checkedProduct(inner->second, divisor));
  return whole + atom(operandText(reduced) + " div " + std::to_string(divisor));
}

std::set<std::string> Dim::names() const {
  std::set<std::string> all;
  for (const auto &[atoms, coefficient] : terms)
    for (const std::string &atom : atoms)
      if (auto quotient = quotientOf(atom))
        all.merge(quotient->first.names());
      else
        all.insert(atom);
  return all;
}

std::optional<int64_t> Dim::at(const ValueOf &valueOf) const {
  int64_t sum = 0;
  for (const auto &[atoms, coefficient] : terms) {
    int64_t product = coefficient;
    for (const std::string &atom : atoms) {
      std::optional<int64_t> value;
      if (auto quotient = quotientOf(atom)) {
        value = quotient->first.at(valueOf);
        if (value)
          value = floorOf(*value, quotient->second);
      } else {
        value = valueOf(atom);
      }
      if (!value || __builtin_mul_overflow(product, *value, &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

std::optional<std::pair<std::string, int64_t>>
Dim::leastFor(int64_t wanted) const {
  const std::set<std::string> all = names();
  // Within quotients in normal form no coefficient is negative.
  const bool grows = std::ranges::all_of(terms, [](const auto &term) {
    return term.first.empty() || term.second > 0;
  });
  if (all.size() != 1 || !grows)
    return std::nullopt;
  auto isEnough = [&](int64_t value) {
    auto size = at([&](const std::string &) { return value; });
    return size && *size >= wanted;
  };
  constexpr int64_t most = int64_t{1} << 40;
  int64_t enough = 1;
  while (!isEnough(enough) && enough < most)
    enough *= 2;
  if (!isEnough(enough))
    return std::nullopt;
  int64_t tooFew = enough / 2;
  while (enough - tooFew > 1) {
    const int64_t middle = tooFew + (enough - tooFew) / 2;
    (isEnough(middle) ? enough : tooFew) = middle;
  }
  return std::pair(*all.begin(), enough);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

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
    else if (size == 1 && atoms.size() == 1)
      text += atoms[0]; // a quotient binds more tightly than a sum
    else
      text += (size == 1 ? "" : std::to_string(size) + " * ") + product(atoms);
  }
  return text;
}

namespace {

/// Reads the text of a size:
///   sum     = [ "-" ] product { ( "+" | "-" ) product }
///   product = factor { "*" factor }
///   factor  = NUMBER | ( NAME | "(" sum ")" ) [ "^" NUMBER | "div" NUMBER ]
class SizeReader {
public:
  explicit SizeReader(std::string_view text) : rest(text) {}

  std::optional<Dim> read() {
    auto size = sum();
    return rest.empty() ? size : std::nullopt;
  }

private:
  std::optional<Dim> sum() {
    // Files are untrusted: deeper texts than sizes have would exhaust the
    // stack.
    if (++depth > mostFactors)
      return std::nullopt;
    bool isNegative = takes("-");
    auto total = product();
    if (total && isNegative)
      total = *total * Dim(-1);
    while (total) {
      const bool isMore = takes(" + ");
      if (!isMore && !takes(" - "))
        break;
      auto next = product();
      if (!next)
        return std::nullopt;
      total = isMore ? *total + *next : *total - *next;
    }
    --depth;
    return total;
  }

  std::optional<Dim> product() {
    auto total = factor();
    while (total && takes(" * ")) {
      auto next = factor();
      if (!next)
        return std::nullopt;
      total = *total * *next;
    }
    return total;
  }

  std::optional<Dim> factor() {
    if (auto value = number())
      return Dim(*value);
    std::optional<Dim> operand;
    if (takes("(")) {
      operand = sum();
      if (!operand || !takes(")"))
        return std::nullopt;
    } else {
      std::string read = name();
      if (read.empty())
        return std::nullopt;
      operand = Dim::atom(read);
    }
    if (takes("^"))
      return power(*operand);
    if (!takes(" div "))
      return operand;
    auto divisor = number();
    if (!divisor || *divisor < 1)
      return std::nullopt;
    return operand->floorQuotient(*divisor);
  }

  std::optional<Dim> power(const Dim &base) {
    auto exponent = number();
    if (!exponent || *exponent < 1 || *exponent > int64_t(mostFactors))
      return std::nullopt;
    Dim result = 1;
    for (int64_t k = 0; k < *exponent; ++k)
      result = result * base;
    return result;
  }

  std::optional<int64_t> number() {
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() || rest.front() == '-')
      return std::nullopt;
    rest.remove_prefix(end - rest.data());
    return value;
  }

  std::string name() {
    if (rest.empty() || (rest.front() >= '0' && rest.front() <= '9'))
      return {};
    const size_t end = std::min(rest.find_first_of(" ()*+-^/"), rest.size());
    std::string result(rest.substr(0, end));
    rest.remove_prefix(end);
    return result;
  }

  bool takes(std::string_view next) {
    if (!rest.starts_with(next))
      return false;
    rest.remove_prefix(next.size());
    return true;
  }

  std::string_view rest;
  size_t depth = 0;
};

} // namespace

std::optional<Dim> Dim::parse(std::string_view text) {
  try {
    return SizeReader(text).read();
  } catch (const std::overflow_error &) {
    return std::nullopt;
  }
}

bool isDerivedLength(std::string_view name) {
  return name.find_first_of(" ^-") != name.npos;
}

} // namespace transfold
