// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that are rounded when a program is made (`rounded` of xf.stored).

#ifndef TRANSFOLD_COMPILER_REFERENCE_ROUNDEDNUMBERS_H
#define TRANSFOLD_COMPILER_REFERENCE_ROUNDEDNUMBERS_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/reference/StoredNumbers.h"
#include "compiler/reference/Tensor.h"

namespace transfold::reference {

/// Blocks of a tensor, from block `first` on.
struct RoundedBlocks {
  int64_t first;
  std::vector<std::byte> bytes;
};

/// The blocks that a part of a member needs (xf::blockPlacesOf). Throws
/// InterpreterError as findStored, and where a number is infinite or NaN.
RoundedBlocks roundedBlocks(xf::StoredOp stored, int64_t member,
                            const checkpoint::Checkpoint &checkpoint,
                            const StoredPlaces &places);

/// What a member loses because its blocks' scales are float16s.
struct ScaleLoss {
  double lost = 0, all = 0; // squares of errors, and of numbers
  double largest = 0;       // of the numbers
  int64_t cutOff = 0;       // blocks whose scales would be
};
ScaleLoss scaleLossOf(xf::StoredOp stored, int64_t member,
                      const checkpoint::Checkpoint &checkpoint);

/// `part` of a member that is rounded, in the axes of the equations.
Tensor readRounded(xf::StoredOp stored, int64_t member,
                   const checkpoint::Checkpoint &checkpoint,
                   const OptionalPart &part);

} // namespace transfold::reference

#endif // TRANSFOLD_COMPILER_REFERENCE_ROUNDEDNUMBERS_H
