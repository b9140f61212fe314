// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask that lies beside an array and was forgotten: its padding would count
// as tokens, and nothing but other results would show it.

#ifndef TRANSFOLD_COMPILER_DRIVER_MASKNOTE_H
#define TRANSFOLD_COMPILER_DRIVER_MASKNOTE_H

#include <string>
#include <vector>

namespace transfold::driver {

/// A line for each mask that lies beside one of the inputs, NAME=FILE.npy, and
/// is not among them; empty where there is none.
std::string noteMasksBeside(const std::vector<std::string> &inputs);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_MASKNOTE_H
