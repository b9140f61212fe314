// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel is called in object files. Kernels have the names of what they
// compute, and C's library has some of these too: exp, tanh, select.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELSYMBOL_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELSYMBOL_H

#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>

#include <string>

namespace transfold::kernels {

inline std::string symbolOf(llvm::StringRef kernel) {
  return (kernel + "_kernel").str();
}

/// The kernel that copies words in a device's memory. No equation is called so.
constexpr const char *copyOfWordsName = "transfold_copy_words";

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELSYMBOL_H
