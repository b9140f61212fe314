// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a value can be computed (once for a request, or with each step), and
// along which of its axes the positions of the sequence lie.

#ifndef TRANSFOLD_COMPILER_STAGE_MOMENTS_H
#define TRANSFOLD_COMPILER_STAGE_MOMENTS_H

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>

namespace transfold::stage {

/// What a value depends on, the latest of it.
enum class Moment {
  Weights, // nothing that a caller gives
  Request, // arguments that have no rows along the sequence
  Step,    // rows of the sequence, or their positions
};

/// The moments of all values of an entry, for steps along `length`.
class Moments {
public:
  Moments(xf::EntryOp entry, mlir::StringAttr length);

  Moment operator[](mlir::Value value) const { return moments.lookup(value); }
  /// The latest of what `op` computes; of a loop, of anything in it.
  Moment of(mlir::Operation *op) const;

private:
  Moment latest(mlir::ValueRange values) const;
  void visit(mlir::Block &block);

  mlir::StringAttr length;
  llvm::DenseMap<mlir::Value, Moment> moments;
};

/// The axes of `type` that are `length`.
llvm::SmallVector<unsigned> axesAlong(mlir::Type type, mlir::StringAttr length);

/// `type` with `to` for the axes in `axes`.
mlir::Type withAxes(mlir::Type type, llvm::ArrayRef<unsigned> axes,
                    mlir::StringAttr to);

} // namespace transfold::stage

#endif // TRANSFOLD_COMPILER_STAGE_MOMENTS_H
