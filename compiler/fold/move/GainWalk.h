// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a value that lacks a gain through its block to the weights that
// absorb the gain.

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>

namespace transfold::fold {

/// Applies the law of each operation on the way (GainLaw.h); subclasses define
/// in `absorb` how weights absorb a gain.
class GainWalk : public xf::GainLaw {
public:
  /// Whether the walk has reached `value`.
  bool lacksGain(mlir::Value value) const override {
    return lacking.contains(value);
  }

  /// The number of operands that lack the gain.
  unsigned readers = 0;
  /// The first objection: which operation does not let the gain pass, and why.
  std::string objection;

protected:
  /// Follows the gain of `value` from its defining operation on. Fails if an
  /// operation does not let it pass: also if the value is yielded, or read
  /// inside a loop other than its own.
  mlir::LogicalResult follow(mlir::Value value, const xf::Gain &gain);
  /// Records the reason if it is the first; without `why`, that `op` has no
  /// law.
  mlir::LogicalResult refuse(mlir::Operation *op, const std::string &why = "");

private:
  /// Applies the law of an operation to each operand that lacks the gain.
  mlir::LogicalResult visit(mlir::Operation &op);

  // The gain of each value that the walk has reached.
  llvm::DenseMap<mlir::Value, xf::Gain> lacking;
};

} // namespace transfold::fold
