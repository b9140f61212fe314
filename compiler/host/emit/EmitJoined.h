// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that call several kernels, which each thread runs.

#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/Twine.h>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace transfold::host {

/// int32_t (void **values): calls kernels one after the other, up to the first
/// that fails, and returns its code or 0. For each kernel k, `values` contains
/// its address, followed by the addresses of its `buffers[k]` buffers.
llvm::Function *emitJoinedCalls(llvm::Module &module, const llvm::Twine &name,
                                llvm::ArrayRef<unsigned> buffers);

/// int32_t (void **values): calls the kernel at `values` with the buffers that
/// follow it; returns 0 if the address is null.
llvm::Function *emitOneCall(llvm::Module &module, const llvm::Twine &name,
                            unsigned buffers);

} // namespace transfold::host
