// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common beginning of all commands on a model: checkpoint, spec, imported
// module.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Model.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

#include <memory>
#include <string>

namespace transfold::driver {

/// An imported model.
struct LoadedModel {
  std::unique_ptr<checkpoint::Checkpoint> checkpoint;
  std::unique_ptr<spec::Model> model;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Opens `directory`, finds its spec unless `spec` names one, imports it and
/// checks that the whole checkpoint was read. Warnings go to standard error.
/// Throws std::exception.
LoadedModel loadModel(
    mlir::MLIRContext &context, const std::string &directory,
    const std::string &spec,
    checkpoint::WithoutWeights missing = checkpoint::WithoutWeights::Fail);

} // namespace transfold::driver
