// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX tile registers. A process must request permission to use them, because
// each of its threads needs 8 KiB to save them.

#pragma once

namespace transfold::runtime::inline program {

/// Whether this processor multiplies matrices of int8 and of bfloat16, and has
/// the other extensions that came with these instructions.
bool hasTiles();

/// Whether Linux grants this process the use of tiles. The permission is
/// requested once, for all threads, including later ones. Without it, tile
/// instructions terminate the process.
bool isTileStateGranted();

} // namespace transfold::runtime::inline program
