// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel is called in object files. Kernels have the names of what they
// compute, and C's library has some of these too: exp, tanh, select.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELSYMBOL_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELSYMBOL_H

#include "compiler/kernels/schedule/Target.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>

#include <string>

namespace transfold::kernels {

inline std::string symbolOf(llvm::StringRef kernel) {
  return (kernel + "_kernel").str();
}

/// A kernel that no equation asks for, and every program for a device has
/// (runtime/program/Program.h): `name` is its field. No equation is called so.
inline std::string symbolOfHelper(llvm::StringRef name,
                                  const std::string &target) {
  return ("transfold_" + name + "_").str() +
         describeMachines(target).front().name;
}

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELSYMBOL_H
