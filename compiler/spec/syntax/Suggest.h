// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was probably meant by a name that nobody declared.

#ifndef TRANSFOLD_COMPILER_SPEC_SYNTAX_SUGGEST_H
#define TRANSFOLD_COMPILER_SPEC_SYNTAX_SUGGEST_H

#include <set>
#include <string>

namespace transfold::spec {

/// How many letters must be changed, added or removed to get from one to the
/// other (Levenshtein). Takes time and memory by the product of their lengths.
size_t editDistance(const std::string &from, const std::string &to);

/// The candidate that was probably meant by `name`; empty where none is near.
std::string nearest(const std::string &name,
                    const std::set<std::string> &candidates);

/// "; did you mean `d_k`?", or nothing where no candidate is near.
std::string didYouMean(const std::string &name,
                       const std::set<std::string> &candidates);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SYNTAX_SUGGEST_H
