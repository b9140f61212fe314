// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR as a kernel's code: for tests of what emitKernel replaces in it.

#pragma once

#include "compiler/kernels/build/llvm/FusedProducts.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>

namespace transfold::test {

/// The code that emitKernel makes of a module, or as an object file.
inline std::string
emittedText(const std::string &text,
            kernels::KernelForm form = kernels::KernelForm::Llvm) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str() << text;
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*module, stream);
  return kernels::emitKernel(bitcode, form);
}

} // namespace transfold::test
