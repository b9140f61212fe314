// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns about a mask file next to an input that was not passed: padding would
// count as tokens, which would only show in different results.

#pragma once

#include <string>
#include <vector>

namespace transfold::driver {

/// A line for each mask next to one of the inputs, NAME=FILE.npy, that is not
/// among them; empty if there is none.
std::string noteMasksBeside(const std::vector<std::string> &inputs);

} // namespace transfold::driver
