// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rounds of a loop as steps: which of them are the same equations, and the
// loop that stands for all of them.

#pragma once

#include "compiler/spec/values/Equations.h"

#include <vector>

namespace transfold::spec {

/// Whether two rounds are the same equations of other weights. Layers of two
/// families are never the same, because each family has its own names; and the
/// weights must have the same formats: a quantized file stores some of its
/// layers with more bits.
bool areSameRound(const step::Loop &a, const step::Loop &b);

/// The weights that `steps` read, in order, also within loops.
std::vector<BoundWeight> weightsOf(const std::vector<Step> &steps);

/// Replaces the weights of `loop`, which is the first of its rounds, by those
/// of all rounds; `rounds[r]` are those of round r. A weight with the same
/// storage in every round stays unchanged. `areAll`: the rounds are all of the
/// loop in the spec.
void mergeRounds(step::Loop &loop,
                 const std::vector<std::vector<BoundWeight>> &rounds,
                 bool areAll);

} // namespace transfold::spec
