// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spec and a checkpoint's shapes become a module of xf operations. Weights
// stay in their files; the module holds their places.

#ifndef TRANSFOLD_COMPILER_IMPORT_IMPORT_H
#define TRANSFOLD_COMPILER_IMPORT_IMPORT_H

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

#include <string>
#include <vector>

namespace transfold::spec {
class Model;
}

namespace transfold::importer {

/// One xf.entry for each entry of the model, one xf.stored for each weight they
/// use. The xf dialect must be loaded. Throws spec::SpecError.
/// `warnings`, where somebody wants them, are ready to print.
mlir::OwningOpRef<mlir::ModuleOp>
importModel(mlir::MLIRContext &context, spec::Model &model,
            std::vector<std::string> *warnings = nullptr);

} // namespace transfold::importer

#endif // TRANSFOLD_COMPILER_IMPORT_IMPORT_H
