// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was probably meant by a name that nobody declared.

#ifndef TRANSFOLD_COMPILER_SPEC_SUGGEST_H
#define TRANSFOLD_COMPILER_SPEC_SUGGEST_H

#include <set>
#include <string>

namespace transfold::spec {

/// "; did you mean `d_k`?", or nothing where no candidate is near.
std::string didYouMean(const std::string &name,
                       const std::set<std::string> &candidates);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SUGGEST_H
