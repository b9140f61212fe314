// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions for names that are not declared.

#pragma once

#include "compiler/spec/syntax/Diagnostic.h"

#include <set>
#include <string>
#include <vector>

namespace transfold::spec {

/// The number of letters that must be changed, added or removed to turn one
/// text into the other (Levenshtein distance). Time and memory are proportional
/// to the product of the lengths.
size_t editDistance(const std::string &from, const std::string &to);

/// The candidate that was probably meant by `name`; empty if none is close.
std::string nearest(const std::string &name,
                    const std::set<std::string> &candidates);

/// An error about a name that does not exist. If a candidate is close, the
/// message ends with "; did you mean `d_k`?", and the error has that fix.
SpecError unknownName(Code code, const Place &at, const std::string &name,
                      const std::string &message,
                      const std::set<std::string> &candidates,
                      std::vector<std::string> notes = {});

} // namespace transfold::spec
