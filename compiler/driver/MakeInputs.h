// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments for a model that nobody gave any.

#ifndef TRANSFOLD_COMPILER_DRIVER_MAKEINPUTS_H
#define TRANSFOLD_COMPILER_DRIVER_MAKEINPUTS_H

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// What inputs are made of.
struct MadeOf {
  int64_t length = 7;            ///< of a sequence
  std::vector<int64_t> ids = {}; ///< its tokens; random ones where empty
};

/// Writes an array for each argument of the entries that has no default and
/// is no other entry's result: one sequence of `of`, and else of random
/// numbers, always the same ones. Returns NAME=FILE.npy for each, files in
/// `folder`.
std::vector<std::string> makeInputs(mlir::ModuleOp module,
                                    const std::string &folder,
                                    const MadeOf &of = {});

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_MAKEINPUTS_H
