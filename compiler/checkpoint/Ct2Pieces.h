// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SentencePiece models beside CTranslate2's model.bin. Nothing names them: who
// converts a model puts them there, source.spm and target.spm, or one for both.
// Their pieces have the numbers of the vocabulary's texts.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_CT2PIECES_H
#define TRANSFOLD_COMPILER_CHECKPOINT_CT2PIECES_H

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/TokenizerSource.h"

#include <optional>

namespace transfold::checkpoint {

/// Nothing where the directory has no SentencePiece model or no vocabulary.
/// `configuration` is that of the model. Throws CheckpointError.
std::optional<SentencePieceTokenizer>
readCt2Pieces(const Directory &directory, const nlohmann::json &configuration);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_CT2PIECES_H
