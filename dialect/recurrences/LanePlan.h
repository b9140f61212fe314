// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statements that compute one position of a recurrence in one lane.
//
//   w = k · S,  S' = α S + k' (β (v - w)),  o = q · S'
//
// becomes, for each position:
//
//   pass 0, for each slot a:  w    = w + k[a] S[a]
//   pass 1, once:             u    = β (v - w)
//   pass 2, for each slot a:  S[a] = α S[a] + k[a] u
//                             o    = o + q[a] S[a]
//
// A sum is one pass over the slots; what depends on it comes in a later pass.
// States are replaced in place, in the last pass that reads them. A value that
// is the same for all slots is computed once and kept.

#pragma once

#include "dialect/recurrences/LaneAxes.h"

#include <vector>

namespace transfold::xf {

/// One statement of a pass.
struct LaneStatement {
  enum class Kind {
    Sum,   ///< adds a term to the sum of a contraction
    Keep,  ///< stores a value
    State, ///< replaces an entry of a state
  };
  Kind kind;
  /// The result of the contraction, the value, or the next state.
  mlir::Value value;
  /// The number of the kept value or state that is written.
  unsigned place;
  /// Next states that the value reads are in the place of their states.
  bool areStatesNew = false;
};

/// Statements that are executed in order for one slot, then for the next.
struct LanePass {
  bool isOverSlots = false;
  std::vector<LaneStatement> statements;
};

/// All passes for one position.
struct LanePlan {
  /// The plan of `scan`; nullopt if it has no lanes, or if a result would have
  /// to read a state after it was replaced.
  static std::optional<LanePlan> of(ScanOp scan);

  LaneAxes axes;
  std::vector<LanePass> passes;
  /// Sums and values that are stored, by their number; results of the position
  /// first.
  llvm::SmallVector<mlir::Value> kept;
  unsigned results = 0;
};

} // namespace transfold::xf
