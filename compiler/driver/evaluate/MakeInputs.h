// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synthesizes inputs when the user passes none.

#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// The contents of synthesized inputs.
struct MadeOf {
  int64_t length = 7;            ///< of a sequence
  std::vector<int64_t> ids = {}; ///< its tokens; empty: random
};

/// Writes an array for each argument of the entries that has no default and is
/// not the result of another entry: one sequence according to `of`, otherwise
/// pseudorandom values with a fixed seed. Returns NAME=FILE.npy for each, with
/// files in `folder`.
std::vector<std::string> makeInputs(mlir::ModuleOp module,
                                    const std::string &folder,
                                    const MadeOf &of = {});

} // namespace transfold::driver
