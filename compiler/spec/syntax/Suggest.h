// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions for names that are not declared.

#ifndef TRANSFOLD_COMPILER_SPEC_SYNTAX_SUGGEST_H
#define TRANSFOLD_COMPILER_SPEC_SYNTAX_SUGGEST_H

#include <set>
#include <string>

namespace transfold::spec {

/// The number of letters that must be changed, added or removed to turn one
/// text into the other (Levenshtein distance). Time and memory are proportional
/// to the product of the lengths.
size_t editDistance(const std::string &from, const std::string &to);

/// The candidate that was probably meant by `name`; empty if none is close.
std::string nearest(const std::string &name,
                    const std::set<std::string> &candidates);

/// "; did you mean `d_k`?", or empty if no candidate is close.
std::string didYouMean(const std::string &name,
                       const std::set<std::string> &candidates);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SYNTAX_SUGGEST_H
