// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that are rounded at compile time (`rounded` of xf.stored).

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/reference/StoredNumbers.h"
#include "compiler/reference/Tensor.h"

namespace transfold::reference {

/// Consecutive blocks of a tensor, from block `first` on.
struct RoundedBlocks {
  int64_t first;
  std::vector<std::byte> bytes;
};

/// Computes the blocks that a part of a member needs (xf::blockPlacesOf).
/// Throws InterpreterError like findStored, and if an element is infinite or
/// NaN.
RoundedBlocks roundedBlocks(xf::StoredOp stored, int64_t member,
                            const checkpoint::Checkpoint &checkpoint,
                            const StoredPlaces &places);

/// The loss of a member because its blocks' scales are float16s.
struct ScaleLoss {
  double lost = 0, all = 0; // sums of squared errors, and of squared elements
  double largest = 0;       // largest magnitude of an element
  int64_t cutOff = 0;       // blocks whose scales exceed float16
};
/// Measures this loss.
ScaleLoss scaleLossOf(xf::StoredOp stored, int64_t member,
                      const checkpoint::Checkpoint &checkpoint);

/// `part` of a rounded member, in the axes of the equations.
Tensor readRounded(xf::StoredOp stored, int64_t member,
                   const checkpoint::Checkpoint &checkpoint,
                   const OptionalPart &part);

} // namespace transfold::reference
