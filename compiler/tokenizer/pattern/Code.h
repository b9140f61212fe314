// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines instructions of expressions.

#pragma once

#include "runtime/tokenizer/characters/Pattern.h"

#include <limits>
#include <vector>

namespace transfold::tokenizer {

/// Instructions whose targets are relative to their own beginning, so that they
/// can be placed anywhere, and more than once.
using Code = std::vector<runtime::Pattern::Instruction>;

/// The range of a number of repetitions, or of the length of a match.
struct Times {
  static constexpr size_t unlimited = std::numeric_limits<size_t>::max();
  size_t least, most; // `most` may be unlimited
};

/// Appends `code`; false if there would be too many instructions.
[[nodiscard]] bool append(Code &to, const Code &code);

/// Code that tries `all` in order and takes the first that matches.
[[nodiscard]] bool alternativesOf(std::vector<Code> all, Code &result);

/// Code that repeats `code`; lazily: as few times as what follows permits. Uses
/// one of `marks` if `code` may match nothing: then the loop ends.
[[nodiscard]] bool repeated(const Code &code, Times times, bool lazy,
                            uint32_t &marks, Code &result);

/// An instruction of `kind` that runs `code`, which follows it, as a separate
/// match.
[[nodiscard]] bool inside(runtime::Pattern::Instruction::Kind kind,
                          const Code &code, Code &result, uint32_t b = 0);

/// The range of the lengths of matches, in characters.
Times lengthOf(const Code &code);

} // namespace transfold::tokenizer
