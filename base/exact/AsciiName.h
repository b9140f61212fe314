// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of a spec without Greek letters, as they name stored weights.

#ifndef TRANSFOLD_BASE_EXACT_ASCIINAME_H
#define TRANSFOLD_BASE_EXACT_ASCIINAME_H

#include <string>

namespace transfold {

/// Replaces the Greek letters of a name by their Latin names: "norm.β" becomes
/// "norm.beta".
std::string asciiName(const std::string &name);

} // namespace transfold

#endif // TRANSFOLD_BASE_EXACT_ASCIINAME_H
