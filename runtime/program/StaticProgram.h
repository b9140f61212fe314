// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distinguishes the two kinds of executables that `transfold compile` links.

#pragma once

namespace transfold::runtime::inline program {

/// Whether the running executable is linked statically (compile --static).
bool isStaticProgram();

} // namespace transfold::runtime::inline program
