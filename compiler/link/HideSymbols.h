// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are named after what they compute, so several programs contain the
// same names. Halide exports kernels and the bodies of their loops.

#pragma once

#include <string>

namespace transfold::link {

/// Returns the object file with all symbols that it defines made hidden: other
/// objects of the same executable or library can use them, but they are not
/// visible outside. Throws LinkError if the file is not a 64-bit ELF file.
std::string hideSymbols(std::string object);

} // namespace transfold::link
