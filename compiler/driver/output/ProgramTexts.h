// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts that a program carries besides its entries: metadata, tokenizer
// tables and the compiled chat template.

#pragma once

#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/output/Compile.h"
#include "compiler/host/emit/EmitProgram.h"
#include "runtime/program/metadata/Metadata.h"

#include <string>

namespace transfold::driver {

/// The texts of a program, and what they say.
struct DescribedProgram {
  host::ProgramTexts texts;
  runtime::Metadata metadata; ///< of the first module
};

/// Describes a program with one of `modules` for each target; `weightsHash`
/// identifies its weights. Warns of a tokenizer or a chat template that cannot
/// be compiled. Throws std::exception if --chat-template does not fit the
/// model.
DescribedProgram programTexts(const CompileOptions &options,
                              const LoadedModel &loaded,
                              llvm::ArrayRef<mlir::ModuleOp> modules,
                              const std::string &weightsHash);

} // namespace transfold::driver
