// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowered values of a region, and the lowering of each kind of operation.
// Operations and their types are MLIR's; the results are Halide's.

#pragma once

#include "compiler/kernels/algorithm/tensor/Tensor.h"
#include "dialect/Dialect.h"

#include <functional>
#include <optional>

namespace transfold::kernels {

/// The axes of a tensor type: known sizes and lengths.
std::vector<Axis> axesOf(mlir::Type type);
/// The labels of an array of strings.
Labels labelsOf(mlir::ArrayAttr attribute);
/// The groups of labels of an array of arrays of strings.
std::vector<Labels> groupsOf(mlir::ArrayAttr attribute);

/// The tensors of the values of a region that are lowered so far.
struct RegionValues {
  AlgorithmBuilder builder;
  llvm::DenseMap<mlir::Value, Tensor> tensors{};

  /// The tensor of a value that is lowered already.
  const Tensor &get(mlir::Value value) const {
    return tensors.find(value)->second;
  }
  /// The same, or nullptr for a null value.
  const Tensor *optional(mlir::Value value) const {
    return value ? &get(value) : nullptr;
  }
  /// A scalar operand of an operation: a constant, or a value that the launch
  /// passes; `otherwise` for a null value.
  Halide::Expr scalar(mlir::Value value, float otherwise = 1.0f) const {
    if (!value)
      return otherwise;
    return get(value).at({});
  }
  /// The position at which the rows of an operation begin; undefined for the
  /// start.
  Halide::Expr position(mlir::Value first) const {
    return first ? get(first).at({}) : Halide::Expr();
  }
};

/// The value whose scores a softmax reads, and the formula of the softmax.
std::pair<mlir::Value, Softmax> softmaxOf(RegionValues &region,
                                          xf::SoftmaxOp op);

/// The function of the entries of an elementwise operation, and its name.
struct BinaryEntry {
  const char *name;
  Halide::Expr (*function)(Halide::Expr, Halide::Expr);
};
struct UnaryEntry {
  const char *name;
  std::function<Halide::Expr(Halide::Expr)> function;
};
/// The function of an operation with two operands; nullopt for others.
std::optional<BinaryEntry> binaryEntryOf(mlir::Operation *op);
/// The function of an operation with one operand besides its scalars, which are
/// lowered already; nullopt for others.
std::optional<UnaryEntry> unaryEntryOf(const RegionValues &region,
                                       mlir::Operation *op);

// Each of the following returns the result of an operation on values that are
// lowered already, or nullopt if the operation is of another kind.

/// Elementwise operations with two operands.
std::optional<Tensor> lowerArithmetic(RegionValues &region,
                                      mlir::Operation *op);
/// Elementwise operations with one operand.
std::optional<Tensor> lowerFunction(RegionValues &region, mlir::Operation *op);
/// Operations on whole rows or columns: norms, softmax, sums, top-k.
std::optional<Tensor> lowerRows(RegionValues &region, mlir::Operation *op);
/// Operations that select or reorder values.
std::optional<Tensor> lowerPlaces(RegionValues &region, mlir::Operation *op);
/// Constants, and values that depend on positions.
std::optional<Tensor> lowerPositions(RegionValues &region, mlir::Operation *op);

/// Lowers a recurrence, whose rows and first states are lowered already, and
/// adds its results. Throws std::runtime_error if it has no lanes.
void lowerScan(RegionValues &region, xf::ScanOp scan);

} // namespace transfold::kernels
