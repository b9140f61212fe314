// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module may contain after each stage of a compilation. Verifiers of
// operations say what an operation must look like; this table says where it may
// be, and when.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

#include <memory>
#include <optional>
#include <string>

namespace transfold::xf {

/// The stages whose results are modules, with the names of `--emit`.
enum class ModuleStage { Xf, Folded, Staged, Kernels, Host };

/// The name of a stage: "kernels".
llvm::StringRef name(ModuleStage stage);
/// The stage with a name, if there is one.
std::optional<ModuleStage> moduleStageNamed(llvm::StringRef name);

/// The innermost of these that contains an operation. A loop over layers
/// belongs to the entry that it is in.
enum class Place { Module, Entry, Stored, Kernel };

/// A line of the table: these operations may be in this place after the stages
/// from `first` to `last`.
struct LegalRule {
  llvm::StringLiteral operations; // for people
  bool (*includes)(mlir::Operation *);
  Place place;
  ModuleStage first, last;
  llvm::StringLiteral reason;
};

/// The table. What no line includes is an error.
llvm::ArrayRef<LegalRule> legalRules();

/// The lines that hold after `stage`, or all lines with their stages, as a
/// table in Markdown.
std::string legalTable(std::optional<ModuleStage> stage);

/// Whether an operation may be where it is after `stage`.
bool isLegal(mlir::Operation *op, ModuleStage stage);

/// Fails, with an error at each operation that may not be where it is after
/// `stage`.
mlir::LogicalResult verifyStage(mlir::ModuleOp module, ModuleStage stage);

/// The pass xf-verify-stage.
std::unique_ptr<mlir::Pass> createVerifyStage(ModuleStage stage);
/// Registers it for transfold-opt.
void registerLegalPasses();

} // namespace transfold::xf
