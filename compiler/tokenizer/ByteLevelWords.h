// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expression of the stage ByteLevel.

#pragma once

namespace transfold::tokenizer {

/// The expression that splits texts into words for GPT-2, and for most models
/// whose tokens are bytes.
constexpr const char *byteLevelWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

} // namespace transfold::tokenizer
