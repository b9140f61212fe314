// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of the xf operations, in double: what every pass and every kernel
// is compared with. It runs a module at any stage, also after kernels were
// formed. In float32 it says how far arithmetic of that type may be from this.

#ifndef TRANSFOLD_COMPILER_REFERENCE_INTERPRETER_H
#define TRANSFOLD_COMPILER_REFERENCE_INTERPRETER_H

#include "compiler/reference/Part.h"
#include "compiler/reference/Tensor.h"
#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/BuiltinOps.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace transfold::checkpoint {
class Checkpoint;
} // namespace transfold::checkpoint

namespace transfold::reference {

/// What cannot be evaluated, and why.
class InterpreterError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One member of a stored weight or a part of it, in the axes of the equations,
/// computed where it has a region; `checkpoint` may be null where no source is
/// read. Throws InterpreterError as `findStored`.
Tensor readStored(xf::StoredOp stored, int64_t member,
                  const checkpoint::Checkpoint *checkpoint,
                  const OptionalPart &part = std::nullopt);
/// The same before it is rounded.
Tensor readFolded(xf::StoredOp stored, int64_t member,
                  const checkpoint::Checkpoint *checkpoint,
                  const OptionalPart &part = std::nullopt);
/// And without the factors of folding and of channels: what other weights are
/// computed from.
Tensor readUnfolded(xf::StoredOp stored, int64_t member,
                    const checkpoint::Checkpoint *checkpoint,
                    const OptionalPart &part = std::nullopt);
/// What the region of a weight that is computed yields for a member, or a part
/// of that.
Tensor derivePart(xf::StoredOp stored, int64_t member,
                  const checkpoint::Checkpoint *checkpoint,
                  const OptionalPart &part);

/// What was kept of a sequence: members of caches, by name and number.
using Kept = std::map<std::pair<std::string, int64_t>, Tensor>;

/// In float32, arguments, weights and what each operation makes are rounded,
/// and each addition in a product or sum.
enum class Precision { Double, Float32 };

/// Looks at each operation that was computed; the function gives the values of
/// its operands.
using Observer = std::function<void(
    mlir::Operation &, llvm::function_ref<const Tensor &(mlir::Value)>)>;

class Interpreter {
public:
  /// `checkpoint` is read where the module has weights; it outlives this.
  Interpreter(mlir::ModuleOp module, const checkpoint::Checkpoint *checkpoint,
              Precision precision = Precision::Double);

  void observe(Observer who) { observer = std::move(who); }

  /// Results of `entry` in order, for arguments in order. The lengths follow
  /// from the arguments' shapes. Throws InterpreterError.
  /// `kept` is what steps of a sequence read and add to; entries over whole
  /// sequences need none.
  std::vector<Tensor> run(xf::EntryOp entry, std::vector<Tensor> arguments,
                          Kept *kept = nullptr);

private:
  using Values = llvm::DenseMap<mlir::Value, Tensor>;
  void runBlock(mlir::Block &block, Values &values);
  Tensor evaluate(mlir::Operation &op, Values &values);
  std::vector<Tensor> runFunction(mlir::Region &body,
                                  std::vector<Tensor> arguments);
  const Tensor &weight(xf::WeightOp op, Values &values);
  void keep(xf::KeepOp op, Values &values);
  Tensor recall(xf::RecallOp op, Values &values);
  /// The shape of a type, lengths replaced by their numbers.
  std::vector<int64_t> shapeOf(mlir::Type type) const;
  void bindLengths(mlir::Type type, const Tensor &value);
  /// The length of rows that are picked begins with them.
  void bindChosen(mlir::Type type, const Tensor &ranks);

  mlir::ModuleOp module;
  const checkpoint::Checkpoint *checkpoint;
  Precision precision;
  std::map<std::string, int64_t> lengths;
  std::map<std::pair<std::string, int64_t>, Tensor> weights;
  Kept *kept = nullptr;
  Observer observer;
};

/// One arithmetic or selection operation on its operands; `shape` is the
/// result's, which is not rounded yet. Throws InterpreterError for operations
/// that hold regions.
Tensor evaluateOp(mlir::Operation &op, llvm::ArrayRef<const Tensor *> operands,
                  const std::vector<int64_t> &shape, Precision precision);

} // namespace transfold::reference

#endif // TRANSFOLD_COMPILER_REFERENCE_INTERPRETER_H
