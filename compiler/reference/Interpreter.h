// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The semantics of the xf operations, the reference for every pass and every
// kernel. It runs a module at any stage, also after kernels are formed, over
// numbers of several kinds (Numbers.h): in double; rounded to float32, which
// shows how large the error of that arithmetic may be; or exactly.

#pragma once

#include "compiler/reference/Numbers.h"
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

/// An evaluation error and its reason.
class InterpreterError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One member of a stored weight or a part of it, in the axes of the equations;
/// computed if it has a region. A weight that is rounded needs doubles.
/// `checkpoint` may be null if no source is read. Throws InterpreterError like
/// `findStored`.
Tensor readStored(xf::StoredOp stored, int64_t member,
                  const checkpoint::Checkpoint *checkpoint,
                  const OptionalPart &part = std::nullopt,
                  const Numbers &numbers = doubles());
/// The same before rounding.
Tensor readFolded(xf::StoredOp stored, int64_t member,
                  const checkpoint::Checkpoint *checkpoint,
                  const OptionalPart &part = std::nullopt,
                  const Numbers &numbers = doubles());
/// The same also without the factors of folding and of channels: the values
/// that other weights are computed from.
Tensor readUnfolded(xf::StoredOp stored, int64_t member,
                    const checkpoint::Checkpoint *checkpoint,
                    const OptionalPart &part = std::nullopt,
                    const Numbers &numbers = doubles());
/// The value that the region of a computed weight yields for a member, or a
/// part of it.
Tensor derivePart(xf::StoredOp stored, int64_t member,
                  const checkpoint::Checkpoint *checkpoint,
                  const OptionalPart &part, const Numbers &numbers = doubles());

/// The caches of a sequence: members, by name and index.
using Kept = std::map<std::pair<std::string, int64_t>, Tensor>;

/// Called after each operation; the function argument returns the values of its
/// operands.
using Observer = std::function<void(
    mlir::Operation &, llvm::function_ref<const Tensor &(mlir::Value)>)>;

/// Evaluates entries of a module.
class Interpreter {
public:
  /// `checkpoint` is read if the module has weights; it must outlive the
  /// interpreter.
  Interpreter(mlir::ModuleOp module, const checkpoint::Checkpoint *checkpoint,
              const Numbers &numbers = doubles());

  /// Sets the observer.
  void observe(Observer who) { observer = std::move(who); }

  /// Returns the results of `entry` in order, for arguments in order. The
  /// lengths follow from the arguments' shapes. Throws InterpreterError. `kept`
  /// contains the caches that steps of a sequence read and extend; entries over
  /// whole sequences need none.
  std::vector<Tensor> run(xf::EntryOp entry, std::vector<Tensor> arguments,
                          Kept *kept = nullptr);

private:
  using Values = llvm::DenseMap<mlir::Value, Tensor>;
  /// Evaluates the operations of a block in order and stores their results.
  void runBlock(mlir::Block &block, Values &values);
  /// Runs the body of a loop for each layer, or for each position.
  void runLayers(xf::LayersOp layers, Values &values);
  void runScan(xf::ScanOp scan, Values &values);
  /// Runs a kernel, which may have several results.
  void runLaunch(xf::LaunchOp launch, Values &values);
  /// The result of one operation other than a loop or a cache write.
  Tensor evaluate(mlir::Operation &op, Values &values);
  /// Runs an entry or a kernel on arguments in order; their shapes determine
  /// lengths that are not known yet.
  std::vector<Tensor> runFunction(mlir::Region &body,
                                  std::vector<Tensor> arguments);
  /// The member of a weight that the current layer reads; read from the
  /// checkpoint once and then kept.
  const Tensor &weight(xf::WeightOp op, Values &values);
  /// Stores rows in a cache of the sequence. Throws InterpreterError if none
  /// was given, or if rows before `first` are missing.
  void keep(xf::CacheWriteOp op, Values &values);
  /// All rows of a cache so far.
  Tensor recall(xf::CacheReadOp op, Values &values);
  /// The shape of a type, with lengths replaced by their values.
  std::vector<int64_t> shapeOf(mlir::Type type) const;
  int64_t derived(mlir::Attribute axis) const;
  /// Determines the lengths of `type` from the shape of `value`. Throws
  /// InterpreterError if a length or a fixed size differs.
  void bindLengths(mlir::Type type, const Tensor &value);
  /// Sets the length of picked rows to their count.
  void bindChosen(mlir::Type type, const Tensor &ranks);

  mlir::ModuleOp module;
  const checkpoint::Checkpoint *checkpoint;
  const Numbers &numbers;
  // The lengths of the running entry or kernel, by name.
  std::map<std::string, int64_t> lengths;
  // Members that were read, by the name of the weight and the member.
  std::map<std::pair<std::string, int64_t>, Tensor> weights;
  Kept *kept = nullptr;
  Observer observer;
};

/// Evaluates one arithmetic or selection operation; `shape` is that of the
/// result, which is not rounded yet. Throws InterpreterError for operations
/// with regions.
Tensor evaluateOp(mlir::Operation &op, llvm::ArrayRef<const Tensor *> operands,
                  const std::vector<int64_t> &shape, const Numbers &numbers);

} // namespace transfold::reference
