// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments for a model that nobody gave any.

#ifndef TRANSFOLD_COMPILER_DRIVER_MAKEINPUTS_H
#define TRANSFOLD_COMPILER_DRIVER_MAKEINPUTS_H

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// Writes an array for each argument of the entries that has no default and
/// is no other entry's result: one short sequence of random numbers, always the
/// same ones. Returns NAME=FILE.npy for each, files in `folder`.
std::vector<std::string> makeInputs(mlir::ModuleOp module,
                                    const std::string &folder);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_MAKEINPUTS_H
