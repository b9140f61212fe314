// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The targets of one program: "cuda,avx512" means a program with kernels for a
// GPU, and for a processor if there is no GPU.

#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// Parses the list of `--target`, in the order in which a program tries them:
/// devices, then at most one processor, which is always available. The default
/// target if it is empty. Throws std::runtime_error.
std::vector<std::string> targetsOf(const std::string &list);

/// Gives the kernels of a device the names that they have in a program with
/// several targets: @bias becomes @bias_cuda. Those of a processor keep their
/// names, so that they are found in the cache of kernels.
void nameKernelsApart(mlir::ModuleOp module, const std::string &target);

} // namespace transfold::driver
