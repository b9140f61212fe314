// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranking of values.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_RANKING_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_RANKING_H

#include <cstddef>
#include <span>
#include <vector>

namespace transfold::runtime::inline tasks {

/// exp(x) / Σ exp(x)
std::vector<double> softmax(std::span<const float> logits);
/// The indices of the `count` largest values, the largest first.
std::vector<size_t> largest(const std::vector<double> &values, size_t count);

} // namespace transfold::runtime::inline tasks

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_RANKING_H
