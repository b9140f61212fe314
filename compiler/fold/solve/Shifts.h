// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes the addition of a bias and follows the biased value through the
// program: each operation states what its result lacks (ShiftLaw.h).

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>

namespace transfold::fold {

/// Removes one bias from an entry, modifying the entry on the way: if it fails,
/// the entry must be discarded.
class ShiftMove : public xf::ShiftLaw {
public:
  /// `source` adds the bias that `biasIsRight` recognizes.
  explicit ShiftMove(xf::AddOp source);

  /// Performs the move.
  mlir::LogicalResult run();

  /// The number of elements, over all layers, whose addition at run time is
  /// removed, and of those whose addition is new.
  int64_t removed = 0, added = 0;
  /// Whether a value that lacks the bias is averaged over positions.
  bool isAveraged = false;
  /// The number of operations that read a value which lacks the bias.
  unsigned readers = 0;
  /// The names of the weights that the bias is added to.
  llvm::SmallVector<std::string> destinations; // each once
  /// The first operation that does not let the bias pass; it gets a new
  /// addition, or makes the move fail.
  mlir::Operation *objection = nullptr;

  /// Whether the traversal has reached `value` and it lacks a row.
  bool isShifted(mlir::Value value) const override {
    return shifted.contains(value);
  }
  /// Inserts before the operation that is being visited.
  mlir::OpBuilder &builder() override { return build; }

private:
  using Shifts = llvm::DenseMap<mlir::Value, xf::Shift>;

  /// The traversal: `sweep` over operations, `visit` of one, `enter` and
  /// `leave` for loops around the lacking value.
  void set(Shifts &shifts, mlir::Value value, const xf::Shift &shift);
  /// Records the first objection and fails.
  mlir::LogicalResult objects(mlir::Operation *op);
  /// Visits the operations of `block` from `from` on.
  mlir::LogicalResult sweep(mlir::Block &block, mlir::Block::iterator from,
                            Shifts &shifts);
  /// Applies the law of one operation if any operand lacks a row, or
  /// compensates.
  mlir::LogicalResult visit(mlir::Operation &op, Shifts &shifts);
  /// Sweeps the body of a loop whose initial values lack rows (`shifts`), or,
  /// if `outer` is given, whose yielded values do, and so its results: these
  /// are put into `outer`. The rows become carried values of the loop.
  mlir::LogicalResult sweepBody(xf::LayersOp &layers, const Shifts &shifts,
                                Shifts &inner, Shifts *outer);
  /// A loop that reads values which lack a row.
  mlir::LogicalResult enter(xf::LayersOp layers, Shifts &shifts);
  /// The loop around the bias, after its body was swept.
  mlir::LogicalResult leave(xf::LayersOp layers, const Shifts &shifts);
  /// The sum of two shifts of one result.
  mlir::FailureOr<xf::Shift> both(mlir::Operation *op, const xf::Shift &a,
                                  const xf::Shift &b);
  /// Adds the missing row to an operand: to a bias of its value if there is
  /// one, otherwise by a new addition.
  mlir::LogicalResult compensate(mlir::OpOperand &use, const xf::Shift &shift);
  /// Notes the weight that a row is added to, for the ledger.
  void noteDestination(mlir::Value row, bool isComputed);
  /// Adds the row where `value` is computed; false if no bias is added there.
  bool absorb(mlir::Value value, const xf::Shift &shift);
  /// Adds the row to the bias of `add`.
  void absorbInto(xf::AddOp add, bool isRight, const xf::Shift &shift);
  /// The loop with one more carried value, which replaces `layers`.
  xf::LayersOp addCarried(xf::LayersOp layers, mlir::Value init,
                          mlir::Value next);
  /// A row of zeros: a carried row lacks nothing before or after the layer that
  /// lacks it.
  mlir::Value zeros(xf::LayersOp before, mlir::Type type);

  xf::AddOp source;
  mlir::OpBuilder build;
  // All values that lack a row, inside and outside of loops.
  llvm::DenseSet<mlir::Value> shifted;
};

/// Whether the right or the left operand is a bias: computed from weights,
/// while the other operand is not and has all axes of the result. Nullopt if
/// neither is.
std::optional<bool> biasIsRight(xf::AddOp add);

/// Attribute of a stored bias: the ratio (above 1) of its magnitude to that of
/// what it is added to (compiler/calibrate/LargeBiases.h).
constexpr llvm::StringLiteral largeBias = "xf.beside";

/// The first weight that `value` is computed from; null if there is none.
xf::WeightOp firstWeight(mlir::Value value);

} // namespace transfold::fold
