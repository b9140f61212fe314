// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt for the xf dialect: runs passes on a file, for tests and inspection.

#include "compiler/fold/Passes.h"
#include "compiler/fuse/Passes.h"
#include "compiler/host/Passes.h"
#include "compiler/kernels/Passes.h"
#include "compiler/stage/Passes.h"
#include "compiler/weights/Passes.h"
#include "dialect/Dialect.h"

#include <mlir/IR/MLIRContext.h>
#include <mlir/Tools/mlir-opt/MlirOptMain.h>
#include <mlir/Transforms/Passes.h>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<transfold::xf::XfDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  transfold::fold::registerPasses();
  transfold::stage::registerPasses();
  transfold::fuse::registerPasses();
  transfold::kernels::registerPasses();
  transfold::weights::registerPasses();
  transfold::host::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "transfold-opt: passes of the xf dialect\n", registry));
}
