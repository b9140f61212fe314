// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of Unicode for properties that do not follow from general categories,
// and for scripts.

#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace transfold::tokenizer {

/// The first and the last character of a range.
using CodeRange = std::pair<char32_t, char32_t>;

/// Alphabetic characters outside the general categories L and Nl; sorted, like
/// all these tables.
std::span<const CodeRange> otherAlphabeticRanges();
/// Lowercase characters outside Ll.
std::span<const CodeRange> otherLowercaseRanges();
/// Uppercase characters outside Lu.
std::span<const CodeRange> otherUppercaseRanges();

/// The characters of a script, "han"; empty if the name is not known.
std::span<const CodeRange> scriptRanges(std::u32string_view name);

} // namespace transfold::tokenizer
