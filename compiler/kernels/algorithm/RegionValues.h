// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the values of a region are, as far as it is lowered, and what each kind
// of operation makes of them. Operations and their types are MLIR's; what they
// become is Halide's.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_REGIONVALUES_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_REGIONVALUES_H

#include "compiler/kernels/algorithm/Tensor.h"
#include "dialect/Dialect.h"

#include <optional>

namespace transfold::kernels {

std::vector<Axis> axesOf(mlir::Type type);
Labels labelsOf(mlir::ArrayAttr attribute);
std::vector<Labels> groupsOf(mlir::ArrayAttr attribute);

struct RegionValues {
  AlgorithmBuilder builder;
  llvm::DenseMap<mlir::Value, Tensor> tensors{};

  /// The tensor of a value that is lowered.
  const Tensor &get(mlir::Value value) const {
    return tensors.find(value)->second;
  }
  const Tensor *optional(mlir::Value value) const {
    return value ? &get(value) : nullptr;
  }
  /// A number of an operation's own: a constant, or one that the launch passes.
  Halide::Expr scalar(mlir::Value value, float otherwise = 1.0f) const {
    if (!value)
      return otherwise;
    return get(value).at({});
  }
  /// Where the rows of an operation begin; undefined for the start.
  Halide::Expr position(mlir::Value first) const {
    return first ? get(first).at({}) : Halide::Expr();
  }
};

/// The scores that a softmax reads, and what it makes of them.
std::pair<mlir::Value, Softmax> softmaxOf(RegionValues &region,
                                          xf::SoftmaxOp op);

// What an operation makes of the values before it; nothing where it is of
// another kind.

/// Two numbers become one.
std::optional<Tensor> lowerArithmetic(RegionValues &region,
                                      mlir::Operation *op);
/// One number becomes another.
std::optional<Tensor> lowerFunction(RegionValues &region, mlir::Operation *op);
/// Rows or columns as a whole: norms, softmax, sums, which are largest.
std::optional<Tensor> lowerRows(RegionValues &region, mlir::Operation *op);
/// Which numbers, in which order.
std::optional<Tensor> lowerPlaces(RegionValues &region, mlir::Operation *op);
/// Constants, and what is made of positions.
std::optional<Tensor> lowerPositions(RegionValues &region, mlir::Operation *op);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_REGIONVALUES_H
