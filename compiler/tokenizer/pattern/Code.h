// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of expressions, put together.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CODE_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CODE_H

#include "runtime/tokenizer/Pattern.h"

#include <limits>
#include <vector>

namespace transfold::tokenizer {

/// Instructions whose targets count from their own beginning, so that they can
/// be put anywhere, and more than once.
using Code = std::vector<runtime::Pattern::Instruction>;

/// How often something is repeated, or how long a match is.
struct Times {
  static constexpr size_t unlimited = std::numeric_limits<size_t>::max();
  size_t least, most; // `most` may be unlimited
};

/// False where there would be more instructions than an expression can have.
[[nodiscard]] bool append(Code &to, const Code &code);

/// The first of `all` that matches.
[[nodiscard]] bool alternativesOf(std::vector<Code> all, Code &result);

/// Again and again; lazily: no more often than what follows needs. Takes one of
/// `marks` where the code may match nothing: then it is not tried again.
[[nodiscard]] bool repeated(const Code &code, Times times, bool lazy,
                            uint32_t &marks, Code &result);

/// An instruction that runs what follows it, `code`, by itself.
[[nodiscard]] bool inside(runtime::Pattern::Instruction::Kind kind,
                          const Code &code, Code &result, uint32_t b = 0);

/// How many characters matches have.
Times lengthOf(const Code &code);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CODE_H
