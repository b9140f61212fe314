// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a value can be computed (once per request, or in each step), and which
// of its axes are positions of the sequence.

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>

namespace transfold::stage {

/// The latest kind of input that a value depends on.
enum class BindingTime {
  Weights, // no argument of the caller
  Request, // arguments without rows along the sequence
  Step,    // rows of the sequence, or their positions
};

/// The moments of all values of an entry, for steps along `length`.
class BindingTimes {
public:
  /// Arguments with an axis of `length` belong to steps, all others to the
  /// request.
  BindingTimes(xf::EntryOp entry, mlir::StringAttr length);

  /// The moment of a value.
  BindingTime operator[](mlir::Value value) const {
    return moments.lookup(value);
  }
  /// The latest moment of the values that `op` computes, including those inside
  /// a loop.
  BindingTime of(mlir::Operation *op) const;

private:
  /// The latest moment of `values`; Weights if there are none.
  BindingTime latest(mlir::ValueRange values) const;
  /// Sets the moments of all values that `block` defines.
  void visit(mlir::Block &block);

  // The length along which steps proceed, such as "n".
  mlir::StringAttr length;
  llvm::DenseMap<mlir::Value, BindingTime> moments;
};

/// The axes of `type` whose size is `length`.
llvm::SmallVector<unsigned> axesAlong(mlir::Type type, mlir::StringAttr length);

/// `type` with the size `to` for the axes in `axes`.
mlir::Type withAxes(mlir::Type type, llvm::ArrayRef<unsigned> axes,
                    mlir::StringAttr to);

} // namespace transfold::stage
