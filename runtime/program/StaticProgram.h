// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_PROGRAM_STATICPROGRAM_H
#define TRANSFOLD_RUNTIME_PROGRAM_STATICPROGRAM_H

namespace transfold::runtime {

/// Whether the running executable is linked statically (compile --static).
bool isStaticProgram();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_STATICPROGRAM_H
