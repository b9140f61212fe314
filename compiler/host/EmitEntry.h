// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One entry as two LLVM functions.

#ifndef TRANSFOLD_COMPILER_HOST_EMITENTRY_H
#define TRANSFOLD_COMPILER_HOST_EMITENTRY_H

#include "dialect/Dialect.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace transfold::host {

struct EmittedEntry {
  llvm::Function *run; // int32_t (const transfold_frame *)
  llvm::Function
      *arenaBytes; // int64_t (int64_t sequences, const int64_t *rows)
};

/// Calls kernel k of the module through kernels[k] of the frame; a variant of
/// another kernel does not count.
EmittedEntry emitEntry(xf::EntryOp entry, llvm::Module &module);

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_EMITENTRY_H
