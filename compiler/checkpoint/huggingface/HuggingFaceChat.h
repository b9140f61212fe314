// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chat templates of Hugging Face directories, which directories of CTranslate2
// may have, too.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/Directory.h"

namespace transfold::checkpoint {

/// The largest size of a template in bytes; the largest in use have 30 KB.
inline constexpr size_t largestTemplate = size_t{1} << 20;

/// The chat template of a Hugging Face directory: chat_template.jinja, else the
/// key `chat_template` of tokenizer_config.json. Throws CheckpointError.
ChatTemplate readChatTemplate(const Checkpoint &checkpoint,
                              const Directory &directory);

} // namespace transfold::checkpoint
