// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_TOKENIZER_JSON_READTOKENIZER_H
#define TRANSFOLD_COMPILER_TOKENIZER_JSON_READTOKENIZER_H

#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

#include <string_view>

namespace transfold::tokenizer {

/// The tokenizer of the text of a tokenizer.json, with views of the storage.
/// Its truncation and padding do not act: how long a text may be is the task's
/// business. Throws runtime::Error, also for kinds that are unknown.
runtime::Description readTokenizerJson(std::string_view text, Storage &storage);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_JSON_READTOKENIZER_H
