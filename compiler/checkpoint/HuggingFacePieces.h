// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SentencePiece model of a directory of Hugging Face: how its pieces are
// numbered (PieceLayout.h), and the tokens beside them (SpecialTokens.h).

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_HUGGINGFACEPIECES_H
#define TRANSFOLD_COMPILER_CHECKPOINT_HUGGINGFACEPIECES_H

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/TokenizerSource.h"

#include <optional>

namespace transfold::checkpoint {

/// Numbers of tokens by their texts.
using TokenNumbers = std::map<std::string, int32_t, std::less<>>;

/// Nothing where the directory has no SentencePiece model. With `vocabulary`,
/// numbers are those there, and tokens without one are left out. Throws
/// CheckpointError.
std::optional<SentencePieceTokenizer>
readHuggingFacePieces(const Directory &directory,
                      const TokenNumbers *vocabulary = nullptr);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_HUGGINGFACEPIECES_H
