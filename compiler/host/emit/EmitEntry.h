// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits one entry as two LLVM functions.

#pragma once

#include "dialect/Dialect.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace transfold::host {

/// The functions of an entry.
struct EmittedEntry {
  llvm::Function *run; // int32_t (const transfold_frame *)
  llvm::Function
      *arenaBytes; // int64_t (int64_t sequences, const int64_t *rows)
};

/// Emits an entry. It calls kernel k of the module through kernels[k] of the
/// frame; variants of other kernels are not counted.
EmittedEntry emitEntry(xf::EntryOp entry, llvm::Module &module);

} // namespace transfold::host
