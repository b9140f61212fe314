// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SentencePiece models beside CTranslate2's model.bin. No file names them:
// people put them there after a conversion, source.spm and target.spm, or one
// for both. The ids of their pieces are those of the same texts in the
// vocabulary.

#pragma once

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/TokenizerSource.h"

#include <optional>

namespace transfold::checkpoint {

/// The tokenizer; nullopt if the directory has no SentencePiece model or no
/// vocabulary. `configuration` is that of the model. Throws CheckpointError.
std::optional<SentencePieceTokenizer>
readCt2Pieces(const Directory &directory, const nlohmann::json &configuration);

} // namespace transfold::checkpoint
