// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a module's device code.

#pragma once

#include <Halide.h>

#include <functional>
#include <string>

namespace transfold::kernels {

/// The module with its device code, PTX, replaced by what `change` makes of it.
Halide::Module
withDeviceText(const Halide::Module &module,
               const std::function<std::string(const std::string &)> &change);

} // namespace transfold::kernels
