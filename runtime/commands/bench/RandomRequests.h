// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated arguments of an entry, which are the same on every machine.

#pragma once

#include "runtime/program/call/Call.h"

#include <random>
#include <vector>

namespace transfold::runtime::inline commands {

/// Fills the arguments of one sequence: valid ids, reals between -1 and 1. An
/// argument with a default value is left as it is.
void fillAtRandom(Call &call, size_t sequence, std::mt19937 &random);
/// Fills the arguments that have a default value, for all sequences.
void fillDefaults(Call &call);

/// Lengths of a sequence for an entry, from the shortest that it accepts to
/// `longest`, or to its limit if that is smaller; longer ones if it needs them.
std::vector<int64_t> randomLengths(const Entry &entry, int64_t longest,
                                   std::mt19937 &random);

/// A number from `least` to `most`, both included. Its distribution is the same
/// with every C++ library, unlike that of std::uniform_int_distribution.
int64_t randomBetween(int64_t least, int64_t most, std::mt19937 &random);

} // namespace transfold::runtime::inline commands
