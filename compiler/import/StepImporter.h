// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates xf operations for the steps of equations: one for each, or a few.

#pragma once

#include "compiler/import/ArrayBounds.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/values/Equations.h"
#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::importer {

/// Throws SpecError for a construct of the language that the compiler does not
/// lower, before anything is built.
[[noreturn]] void refuse(const spec::Place &at, const std::string &what);

/// Adds the operations of entries to a module.
class StepImporter {
public:
  /// `module` must outlive this; its weights are shared by all entries.
  explicit StepImporter(mlir::ModuleOp module);

  /// Adds the operations of one entry to `body`, whose arguments are those of
  /// the entry. Returns the entry's results. Throws SpecError.
  llvm::SmallVector<mlir::Value>
  importEquations(const spec::Equations &equations, mlir::Block *body);
  /// The bounds of the entry's lengths that follow from arrays read by index.
  const LengthBounds &lengthBounds() const { return bounds; }
  /// Warnings about probable mistakes.
  std::vector<spec::Diagnostic> takeWarnings() { return std::move(warnings); }

  /// A place in a spec, a size and a shape, as MLIR represents them. An axis
  /// must be a number or a single length; otherwise SpecError is thrown.
  static mlir::Location location(mlir::MLIRContext *context,
                                 const spec::Place &at);
  static mlir::Attribute axis(mlir::MLIRContext *context, const Dim &dim,
                              const spec::Place &at);
  static llvm::SmallVector<mlir::Attribute> shape(mlir::MLIRContext *context,
                                                  const std::vector<Dim> &dims,
                                                  const spec::Place &at);

private:
  using Place = spec::Place;
  using ValueId = spec::ValueId;

  /// Appends the operations of steps at the insertion point.
  void importSteps(const std::vector<spec::Step> &steps);
  /// Appends an xf.layers; its results are the values `result`, `result` + 1, …
  void importLoop(const spec::step::Loop &loop, ValueId result, Place at);

  // The value that an operation of the equations makes.
  mlir::Value create(const spec::step::ReadWeight &read, Place at);
  mlir::Value create(const spec::step::Constant &constant, Place at);
  mlir::Value create(const spec::step::Fill &fill, Place at);
  mlir::Value create(const spec::step::Tabulate &tabulate, Place at);
  mlir::Value create(const spec::step::Contract &product, Place at);
  mlir::Value create(const spec::step::Elementwise &operation, Place at);
  mlir::Value create(const spec::step::Scale &scale, Place at);
  mlir::Value create(const spec::step::Apply &apply, Place at);
  mlir::Value create(const spec::step::Power &power, Place at);
  mlir::Value create(const spec::step::Clamp &clamp, Place at);
  mlir::Value create(const spec::step::Normalize &normalize, Place at);
  mlir::Value create(const spec::step::Softmax &softmax, Place at);
  mlir::Value create(const spec::step::Reduce &reduce, Place at);
  mlir::Value create(const spec::step::Round &round, Place at);
  mlir::Value create(const spec::step::Gather &gather, Place at);
  mlir::Value create(const spec::step::Slice &slice, Place at);
  mlir::Value create(const spec::step::Select &select, Place at);
  mlir::Value create(const spec::step::Rearrange &rearrange, Place at);
  mlir::Value create(const spec::step::Repeat &repeat, Place at);
  mlir::Value create(const spec::step::Append &append, Place at);
  mlir::Value create(const spec::step::Rotate &rotate, Place at);
  mlir::Value create(const spec::step::Top &top, Place at);
  mlir::Value create(const spec::step::Unfold &unfold, Place at);
  mlir::Value create(const spec::step::Delay &delay, Place at);
  mlir::Value create(const spec::step::Recurrence &recurrence, Place at);
  /// The states before each position, if `states` are those of a recurrence
  /// that begins with zero; otherwise null.
  mlir::Value statesBefore(mlir::Value states, unsigned axis, int64_t by);
  mlir::Value create(const spec::step::Patches &patches, Place at);

  /// The value of a number; loops may define the same number again.
  void set(ValueId id, mlir::Value value);
  mlir::Value get(ValueId id) const;
  /// A null value for nullopt: an optional operand.
  mlir::Value get(std::optional<ValueId> id) const;

  /// The location of operations that are made for a step at `at`.
  mlir::Location here(const Place &at);
  /// The location of a call, and of the calls around it.
  mlir::Location callAt(const spec::CallSite &call);
  // Parts of the equations as attributes.
  mlir::ArrayAttr labels(const spec::Labels &labels);
  mlir::ArrayAttr groups(const std::vector<spec::Labels> &groups);
  xf::ExactAttr exact(const ExactScalar &value);
  /// The declaration of `weight` at the top of the module; created on first
  /// use.
  xf::StoredOp stored(const spec::BoundWeight &weight);
  /// The value of `weight`, which may be a stack of several.
  mlir::Value readWeight(const spec::BoundWeight &weight, Place at);
  /// The mask of scores of type `scores`.
  xf::MaskAttr maskOf(const spec::IndexFunction &mask, mlir::Type scores,
                      Place at);
  /// A table whose element at `indices` is `body`. Throws SpecError if `body`
  /// may read outside of an array.
  mlir::Value table(const std::vector<std::string> &indices,
                    const IndexExpr &body,
                    llvm::ArrayRef<mlir::Attribute> shape, Place at);
  /// A length as a scalar.
  mlir::Value length(const std::string &name, Place at);
  /// Warns of reads that are in bounds only if a length is 1.
  void warnOfSingle(Place at);
  /// Creates an operation on two operands with labelled axes.
  template <typename Op>
  mlir::Value labelled(const spec::Operand &a, const spec::Operand &b,
                       const spec::Labels &out, Place at);

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  mlir::Block *entry = nullptr;
  /// Of the step whose operations are made; null if it is in no inlined block.
  const spec::CallSite *caller = nullptr;
  llvm::DenseMap<const spec::CallSite *, mlir::Location> calls;
  std::vector<mlir::Value> values; // by ValueId
  LengthBounds bounds;
  std::vector<spec::Diagnostic> warnings;
  llvm::StringMap<mlir::Value> loopVariables;
  /// By name; two loops over the same parts have weights with the same name.
  llvm::StringMap<
      std::vector<std::pair<std::vector<spec::Storage>, xf::StoredOp>>>
      storedWeights;
};

} // namespace transfold::importer
