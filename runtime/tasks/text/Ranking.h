// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranking of values.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace transfold::runtime::inline tasks {

/// exp(x) / Σ exp(x)
std::vector<double> softmax(std::span<const float> logits);
/// The indices of the `count` largest values, the largest first.
std::vector<size_t> largest(const std::vector<double> &values, size_t count);

} // namespace transfold::runtime::inline tasks
