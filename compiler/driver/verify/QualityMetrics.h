// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quality measures that show the effect of rounding on results.

#pragma once

#include "compiler/driver/evaluate/EvaluateModule.h"

#include <span>

namespace transfold::driver {

/// The perplexity of `tokens` under rows of logits: e to the mean of -log p of
/// each token after the first. One sequence, a row for each token.
double perplexity(std::span<const double> logits, int64_t columns,
                  std::span<const int64_t> tokens);

/// The mean cosine similarity between rows of `columns` columns.
double cosine(const std::vector<double> &expected,
              const std::vector<double> &found, int64_t columns);

/// For logits, "perplexity 20.4, before 20.3" if `inputs` (NAME=FILE.npy)
/// contain one sequence of tokens with a row for each; for other results the
/// cosine. Empty if neither is defined.
std::string describeQuality(const std::string &name, const Output &before,
                            const Output &after,
                            const std::vector<std::string> &inputs);

} // namespace transfold::driver
