// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of a spec without Greek letters, as they name stored weights.

#pragma once

#include <string>

namespace transfold {

/// Replaces the Greek letters of a name by their Latin names: "norm.β" becomes
/// "norm.beta".
std::string asciiName(const std::string &name);

} // namespace transfold
