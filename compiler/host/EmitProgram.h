// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries as LLVM IR: the arena, the layer loop, calls of kernels; and the
// constant `transfold_program_data` that the runtime reads
// (runtime/program/Program.h).

#ifndef TRANSFOLD_COMPILER_HOST_EMITPROGRAM_H
#define TRANSFOLD_COMPILER_HOST_EMITPROGRAM_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace transfold::host {

/// What the program carries beside its entries.
struct ProgramTexts {
  /// Of each module: JSON, see runtime/program/Program.h.
  std::vector<std::string> metadata;
  std::string tokenizer;         // tables (compiler/tokenizer), or empty
  std::string chatTemplate = {}; // runtime/chat/Nodes.h, or empty
};

/// The LLVM module of a model whose memory and weights are planned. Of several
/// modules, one for each target, a program runs the first that it can.
std::unique_ptr<llvm::Module>
emitProgram(llvm::ArrayRef<mlir::ModuleOp> modules, const ProgramTexts &texts,
            llvm::LLVMContext &context);

/// Adds a constant that C knows as `const char name[]`.
void addText(llvm::Module &module, const std::string &name,
             const std::string &text);

/// Its object file for `crossTriple`, or where that is empty for this machine's
/// kind of processor. Throws std::runtime_error.
std::string emitObject(llvm::Module &module, const std::string &crossTriple);

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_EMITPROGRAM_H
