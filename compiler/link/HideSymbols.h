// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels have the names of what they compute, which are the same in many
// programs. Halide gives them, and the bodies of their loops, to everybody.

#ifndef TRANSFOLD_COMPILER_LINK_HIDESYMBOLS_H
#define TRANSFOLD_COMPILER_LINK_HIDESYMBOLS_H

#include <string>

namespace transfold::link {

/// The object file with everything that it defines hidden: other objects of
/// what it is linked into can use it, and nobody outside of that sees it.
/// Throws LinkError for what is no ELF file of 64 bits.
std::string hideSymbols(std::string object);

} // namespace transfold::link

#endif // TRANSFOLD_COMPILER_LINK_HIDESYMBOLS_H
