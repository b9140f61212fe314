// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation of token ids. They come from files, options, tokenizers and the
// program's own metadata; each must be checked here before it is used as an
// index.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace transfold::runtime::inline program {

/// Returns `id` as a token id if it is one of a model with the tokens 0 to
/// `known` - 1; if `known` is 0, if it is not negative. `place` says where the
/// id comes from ("--suppress"), for the message. Throws Error if it is not a
/// valid id.
int32_t tokenOf(int64_t id, int64_t known, std::string_view place = "");
/// Checks all ids as tokenOf() does. Throws Error.
void checkTokens(std::span<const int32_t> ids, int64_t known,
                 std::string_view place = "");

} // namespace transfold::runtime::inline program
