// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a spec with the shapes of a checkpoint to a module of xf
// operations. Weights stay in their files; the module refers to their storage.

#pragma once

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

#include <string>
#include <vector>

namespace transfold::spec {
class Model;
struct Diagnostic;
} // namespace transfold::spec

namespace transfold::importer {

/// Creates an xf.entry for each entry of the model, and an xf.stored for each
/// weight that the entries use. The xf dialect is loaded into the context.
/// Throws spec::SpecError. `warnings`, if not null, receives
/// what is probably a mistake.
mlir::OwningOpRef<mlir::ModuleOp>
importModel(mlir::MLIRContext &context, const spec::Model &model,
            std::vector<spec::Diagnostic> *warnings = nullptr);

} // namespace transfold::importer
