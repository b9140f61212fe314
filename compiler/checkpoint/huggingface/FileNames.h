// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of a Hugging Face directory that several readers use.

#pragma once

namespace transfold::checkpoint {

constexpr const char *tokenizerConfigName = "tokenizer_config.json";
constexpr const char *specialTokensName = "special_tokens_map.json";

} // namespace transfold::checkpoint
