// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SentencePiece model of a Hugging Face directory: how its pieces are
// numbered (TokenIdMapping.h), and which other tokens there are
// (SpecialTokens.h).

#pragma once

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/TokenizerSource.h"

#include <optional>

namespace transfold::checkpoint {

/// Ids of tokens by their texts.
using TokenNumbers = std::map<std::string, int32_t, std::less<>>;

/// The tokenizer; nullopt if the directory has no SentencePiece model. With
/// `vocabulary`, ids are taken from it, and tokens that it lacks are left out.
/// Throws CheckpointError.
std::optional<SentencePieceTokenizer>
readHuggingFacePieces(const Directory &directory,
                      const TokenNumbers *vocabulary = nullptr);

} // namespace transfold::checkpoint
