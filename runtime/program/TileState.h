// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of matrices (AMX), which a process has to ask for: their 8 KiB are
// saved with each of its threads.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_TILESTATE_H
#define TRANSFOLD_RUNTIME_PROGRAM_TILESTATE_H

namespace transfold::runtime {

/// Whether this processor multiplies matrices of bytes and of bfloat16, with
/// all else that came with it.
bool hasTiles();

/// Whether the kernel lets this process use them: it is asked once, for all
/// threads, those to come too. Before, their instructions end the process.
bool isTileStateGranted();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_TILESTATE_H
