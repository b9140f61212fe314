// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt for the xf dialect: runs passes on a file, for tests and inspection.
// With --legal it prints the table of what a module may contain.

#include "compiler/fold/Passes.h"
#include "compiler/fuse/Passes.h"
#include "compiler/host/Passes.h"
#include "compiler/kernels/Passes.h"
#include "compiler/stage/Passes.h"
#include "compiler/weights/Passes.h"
#include "dialect/Dialect.h"
#include "dialect/legal/Legality.h"

#include <llvm/Support/CommandLine.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Tools/mlir-opt/MlirOptMain.h>
#include <mlir/Transforms/Passes.h>

using namespace transfold;

/// Prints the table for a stage, or for all if `stage` is empty.
static int printLegal(const std::string &stage) {
  std::optional<xf::ModuleStage> known = xf::moduleStageNamed(stage);
  if (!known && !stage.empty()) {
    llvm::errs() << "transfold-opt: there is no stage '" << stage
                 << "'; expected one of xf, folded, staged, kernels, host\n";
    return 1;
  }
  llvm::outs() << xf::legalTable(known);
  return 0;
}

int main(int argc, char **argv) {
  static llvm::cl::opt<std::string> legal(
      "legal", llvm::cl::ValueOptional,
      llvm::cl::desc("Print what a module may contain after a stage (xf, "
                     "folded, staged, kernels, host), or after each"));
  mlir::DialectRegistry registry;
  registry.insert<transfold::xf::XfDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  fold::registerFoldPasses();
  stage::registerStagePasses();
  fuse::registerFusePasses();
  kernels::registerKernelsPasses();
  weights::registerWeightsPasses();
  host::registerHostPasses();
  xf::registerLegalPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "transfold-opt: passes of the xf dialect\n", registry);
  if (legal.getNumOccurrences())
    return printLegal(legal);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
