// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bias that is not added where the equations add it, followed through the
// program: each operation says what its result lacks (ShiftLaw.h).

#ifndef TRANSFOLD_COMPILER_FOLD_SHIFTS_H
#define TRANSFOLD_COMPILER_FOLD_SHIFTS_H

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>

namespace transfold::fold {

/// Takes one bias out of an entry, and changes the entry as it goes: where it
/// fails, the entry is to be thrown away.
class ShiftMove : public xf::ShiftLaw {
public:
  explicit ShiftMove(xf::AddOp source);

  mlir::LogicalResult run();

  /// Numbers added when the program runs, in all layers, that no longer are,
  /// and that were not before.
  int64_t removed = 0, added = 0;
  /// Whether positions are averaged of a value that lacks the bias.
  bool isAveraged = false;
  /// Operations that compute with a value that lacks the bias.
  unsigned readers = 0;
  /// Names of the weights that it is added to.
  llvm::SmallVector<std::string> destinations; // each once
  /// Who objects first, and gets an addition of its own or makes it fail.
  mlir::Operation *objection = nullptr;

  bool isShifted(mlir::Value value) const override {
    return shifted.contains(value);
  }
  mlir::OpBuilder &builder() override { return build; }

private:
  using Shifts = llvm::DenseMap<mlir::Value, xf::Shift>;

  void set(Shifts &shifts, mlir::Value value, const xf::Shift &shift);
  mlir::LogicalResult objects(mlir::Operation *op);
  mlir::LogicalResult sweep(mlir::Block &block, mlir::Block::iterator from,
                            Shifts &shifts);
  mlir::LogicalResult visit(mlir::Operation &op, Shifts &shifts);
  mlir::LogicalResult enter(xf::LayersOp layers, Shifts &shifts);
  mlir::LogicalResult leave(xf::LayersOp layers, const Shifts &shifts);
  mlir::FailureOr<xf::Shift> both(mlir::Operation *op, const xf::Shift &a,
                                  const xf::Shift &b);
  mlir::LogicalResult compensate(mlir::OpOperand &use, const xf::Shift &shift);
  void noteDestination(mlir::Value row, bool isComputed);
  bool absorb(mlir::Value value, const xf::Shift &shift);
  void absorbInto(xf::AddOp add, bool isRight, const xf::Shift &shift);
  xf::LayersOp addCarried(xf::LayersOp layers, mlir::Value init,
                          mlir::Value next);
  mlir::Value zeros(xf::LayersOp before, mlir::Type type);

  xf::AddOp source;
  mlir::OpBuilder build;
  llvm::DenseSet<mlir::Value> shifted;
};

/// Whether the weight on the right or left is a bias: it alone is made of
/// weights, and the other operand has all axes of the result.
std::optional<bool> biasIsRight(xf::AddOp add);

/// Of a stored bias, how many times larger it is than what it is added to, a
/// number above 1 (compiler/calibrate/LargeBiases.h).
constexpr llvm::StringLiteral largeBias = "xf.beside";

/// The first weight that `value` is made of; null where there is none.
xf::WeightOp firstWeight(mlir::Value value);

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_SHIFTS_H
