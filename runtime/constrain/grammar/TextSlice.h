// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices: classes of characters that make up most tokens of a vocabulary. Where
// a grammar treats all characters of a class alike, as inside of a string, one
// look decides about all tokens of such characters (TokenIndex.h).

#pragma once

#include "runtime/constrain/automaton/Dfa.h"

#include <array>
#include <vector>

namespace transfold::runtime::inline constrain {

/// A class of characters.
struct TextSlice {
  Dfa character;   // reads one character of the class
  uint8_t example; // a character of the class that is one byte
};

constexpr size_t sliceCount = 2;
/// What need not be escaped in a string of JSON; letters, digits and "_".
const std::array<TextSlice, sliceCount> &textSlices();

/// Which slices an automaton treats alike in a state: all characters of the
/// slice lead to one state, or none can be read.
using AlikeSlices = uint8_t; // bit i: slice i
std::vector<AlikeSlices> alikeSlices(const Dfa &dfa, ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
