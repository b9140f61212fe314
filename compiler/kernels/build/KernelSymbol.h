// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of kernels in object files. Kernels are named after their
// operations, and the C library has some of these names, too: exp, tanh,
// select.

#pragma once

#include "compiler/kernels/schedule/choose/Target.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>

#include <string>

namespace transfold::kernels {

/// The symbol of kernel `kernel`.
inline std::string symbolOf(llvm::StringRef kernel) {
  return (kernel + "_kernel").str();
}

/// The symbol of a helper kernel, which no equation contains and every program
/// for a device has (runtime/program/Program.h): `name` is its field there. No
/// kernel of an equation has such a symbol.
inline std::string symbolOfHelper(llvm::StringRef name,
                                  const std::string &target) {
  return ("transfold_" + name + "_").str() +
         describeMachines(target).front().name;
}

} // namespace transfold::kernels
