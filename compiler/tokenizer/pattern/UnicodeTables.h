// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERN_UNICODETABLES_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERN_UNICODETABLES_H

#include <span>
#include <string_view>
#include <utility>

namespace transfold::tokenizer {

/// The first and the last character of a range.
using CodeRange = std::pair<char32_t, char32_t>;

/// What is alphabetic beside the general categories L and Nl; sorted, as all of
/// these are.
std::span<const CodeRange> otherAlphabeticRanges();
/// What is lowercase beside Ll, and uppercase beside Lu.
std::span<const CodeRange> otherLowercaseRanges();
std::span<const CodeRange> otherUppercaseRanges();

/// The characters of a script, "han"; empty where the name is not known.
std::span<const CodeRange> scriptRanges(std::u32string_view name);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERN_UNICODETABLES_H
