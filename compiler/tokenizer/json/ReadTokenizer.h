// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_TOKENIZER_JSON_READTOKENIZER_H
#define TRANSFOLD_COMPILER_TOKENIZER_JSON_READTOKENIZER_H

#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::tokenizer {

/// The tokenizer of the text of a tokenizer.json, with views of the storage.
/// Its truncation and padding do not act: how long a text may be is the task's
/// business. What is done in another way than the file says goes to
/// `warnings`. Throws runtime::Error, also for kinds that are unknown.
runtime::Description readTokenizerJson(std::string_view text, Storage &storage,
                                       std::vector<std::string> &warnings);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_JSON_READTOKENIZER_H
