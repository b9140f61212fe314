// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizers of Hugging Face's tokenizer.json.

#pragma once

#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::tokenizer {

/// The tokenizer in the text of a tokenizer.json, with views of the storage.
/// Its truncation and padding are ignored, because the task determines how long
/// a text may be. Deviations from the file go to `warnings`. Throws
/// Error, also for unknown kinds.
runtime::Description readTokenizerJson(std::string_view text, Storage &storage,
                                       std::vector<std::string> &warnings);

} // namespace transfold::tokenizer
