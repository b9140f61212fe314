// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits entries as LLVM IR (the arena, the layer loop, calls of kernels), and
// the constant `transfold_program_data` that the runtime reads
// (runtime/program/Program.h).

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace transfold::host {

/// The texts that the program contains besides its entries.
struct ProgramTexts {
  /// For each module: JSON, see runtime/program/Program.h.
  std::vector<std::string> metadata;
  std::string tokenizer;         // tables (compiler/tokenizer), or empty
  std::string chatTemplate = {}; // runtime/chat/Nodes.h, or empty
};

/// The LLVM module of a model whose memory and weights are planned. Of several
/// modules, one for each target, the program runs the first one that is
/// supported.
std::unique_ptr<llvm::Module>
emitProgram(llvm::ArrayRef<mlir::ModuleOp> modules, const ProgramTexts &texts,
            llvm::LLVMContext &context);

/// Adds the list of the parts of the runtime that an executable contains
/// (runtime/commands/ProgramParts.h), by name, in the order of their commands.
void addParts(llvm::Module &module, llvm::ArrayRef<std::string> parts);

/// Adds a constant that C sees as `const char name[]`.
void addText(llvm::Module &module, const std::string &name,
             const std::string &text);

/// Compiles a module to an object file for `crossTriple`, or for this machine's
/// kind of processor if that is empty. Throws std::runtime_error.
std::string emitObject(llvm::Module &module, const std::string &crossTriple);

} // namespace transfold::host
