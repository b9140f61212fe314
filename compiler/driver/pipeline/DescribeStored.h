// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which values over pairs of positions a program stores. The scores of an
// attention are computed piece by piece and never stored as a whole; a softmax
// that is not part of an attention, or another value of n × m elements, is.

#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// One line for each place in the equations whose kernel stores a value with
/// more than one length; `module` is at the stage `host`.
std::vector<std::string> describeStored(mlir::ModuleOp module);

} // namespace transfold::driver
