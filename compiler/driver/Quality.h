// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rounding means for who uses a result.

#ifndef TRANSFOLD_COMPILER_DRIVER_QUALITY_H
#define TRANSFOLD_COMPILER_DRIVER_QUALITY_H

#include "compiler/driver/EvaluateModule.h"

#include <span>

namespace transfold::driver {

/// How well rows of logits tell each token after the first: e to the mean of
/// -log p. One sequence, a row for each token.
double perplexity(std::span<const double> logits, int64_t columns,
                  std::span<const int64_t> tokens);

/// The cosine between rows of so many columns, on average over the rows.
double cosine(const std::vector<double> &expected,
              const std::vector<double> &found, int64_t columns);

/// Of logits, "perplexity 20.4, before 20.3" where `inputs` (NAME=FILE.npy)
/// have one sequence of tokens with a row for each; of others the cosine.
/// Empty where neither can be said.
std::string describeQuality(const std::string &name, const Output &before,
                            const Output &after,
                            const std::vector<std::string> &inputs);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_QUALITY_H
