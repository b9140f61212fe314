// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value without a gain, followed through its block to the weights that take
// the gain over.

#ifndef TRANSFOLD_COMPILER_FOLD_GAINWALK_H
#define TRANSFOLD_COMPILER_FOLD_GAINWALK_H

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>

namespace transfold::fold {

/// Asks the law of each operation on the way (GainLaw.h); what weights do with
/// a gain, `absorb` says.
class GainWalk : public xf::GainLaw {
public:
  bool lacksGain(mlir::Value value) const override {
    return lacking.contains(value);
  }

  /// How many operands lack it.
  unsigned readers = 0;
  /// Who objected first, and why.
  std::string objection;

protected:
  /// From the operation that makes `value` on. Fails where one objects: also
  /// where it is yielded, or read inside of a loop that is not its own.
  mlir::LogicalResult follow(mlir::Value value, const xf::Gain &gain);
  /// Keeps the first reason; without `why`, that `op` objects.
  mlir::LogicalResult refuse(mlir::Operation *op, const std::string &why = "");

private:
  mlir::LogicalResult visit(mlir::Operation &op);

  llvm::DenseMap<mlir::Value, xf::Gain> lacking;
};

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_GAINWALK_H
