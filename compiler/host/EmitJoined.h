// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are called together, as a function that each thread runs.

#ifndef TRANSFOLD_COMPILER_HOST_EMITJOINED_H
#define TRANSFOLD_COMPILER_HOST_EMITJOINED_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/Twine.h>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace transfold::host {

/// int32_t (void **values): calls kernels one after the other, up to the first
/// that fails, and returns its code or 0. Of kernel k, `values` have the
/// address and then those of its `buffers[k]` buffers.
llvm::Function *emitJoinedCalls(llvm::Module &module, const llvm::Twine &name,
                                llvm::ArrayRef<unsigned> buffers);

/// int32_t (void **values): calls the kernel at `values` with the buffers
/// behind it; 0 where there is none.
llvm::Function *emitOneCall(llvm::Module &module, const llvm::Twine &name,
                            unsigned buffers);

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_EMITJOINED_H
