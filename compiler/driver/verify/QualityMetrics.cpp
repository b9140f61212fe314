// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures of quality, of results before and after rounding.

#include "compiler/driver/verify/QualityMetrics.h"

#include "base/files/arrays/Npy.h"
#include "compiler/driver/verify/Compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace transfold;
using namespace transfold::driver;

double driver::perplexity(std::span<const double> logits, int64_t columns,
                          std::span<const int64_t> tokens) {
  double sum = 0;
  for (size_t k = 0; k + 1 < tokens.size(); ++k) {
    auto row = logits.subspan(k * columns, columns);
    sum += logSum(row) - row[tokens[k + 1]];
  }
  return std::exp(sum / static_cast<double>(tokens.size() - 1));
}

double driver::cosine(const std::vector<double> &expected,
                      const std::vector<double> &found, int64_t columns) {
  double sum = 0;
  int64_t rows = 0;
  for (size_t at = 0; at + columns <= expected.size(); at += columns) {
    double product = 0, a = 0, b = 0;
    for (size_t k = at; k < at + columns; ++k) {
      product += expected[k] * found[k];
      a += expected[k] * expected[k];
      b += found[k] * found[k];
    }
    if (a == 0 || b == 0)
      continue; // padding
    sum += product / std::sqrt(a * b);
    ++rows;
  }
  return rows ? sum / static_cast<double>(rows) : 1;
}

/// The sequence of tokens among the inputs, if the logits have one row for each
/// of them; empty if there is no such sequence, or several.
static std::vector<int64_t> tokensOf(const Output &logits,
                                     const std::vector<std::string> &inputs) {
  std::vector<int64_t> tokens;
  if (logits.shape.size() != 3 || logits.shape[0] != 1)
    return tokens;
  for (const std::string &input : inputs) {
    NpyArray array(input.substr(input.find('=') + 1));
    if (!array.isInteger() || array.elements() != logits.shape[1])
      continue;
    if (!tokens.empty())
      return {};
    for (int64_t k = 0; k < array.elements(); ++k)
      tokens.push_back(array.integer(k));
  }
  const bool areKnown = std::ranges::all_of(tokens, [&](int64_t token) {
    return token >= 0 && token < logits.shape[2];
  });
  return areKnown ? tokens : std::vector<int64_t>();
}

std::string driver::describeQuality(const std::string &name,
                                    const Output &before, const Output &after,
                                    const std::vector<std::string> &inputs) {
  if (before.shape.empty())
    return "";
  const int64_t columns = before.shape.back();
  if (!name.ends_with("logits"))
    return fmt::format("  cosine {:.6f}",
                       cosine(before.values, after.values, columns));
  std::vector<int64_t> tokens = tokensOf(before, inputs);
  if (tokens.size() < 2)
    return "";
  return fmt::format("  perplexity {:.3f}, before {:.3f}",
                     perplexity(after.values, columns, tokens),
                     perplexity(before.values, columns, tokens));
}
