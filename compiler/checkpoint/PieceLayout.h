// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How directories of Hugging Face number the pieces of a SentencePiece model,
// and what stands around a text. Their tokenizer_config.json names the one that
// applies, `tokenizer_class`; what it means is in transformers' code, and here.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_PIECELAYOUT_H
#define TRANSFOLD_COMPILER_CHECKPOINT_PIECELAYOUT_H

#include "compiler/checkpoint/Directory.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::checkpoint {

struct PieceLayout {
  /// Names of tokenizer_class, without the "Fast" behind some.
  std::vector<std::string_view> classes;
  /// The file that cuts texts, and, where it is another, the one that joins
  /// pieces.
  const char *model, *writer = nullptr;
  enum class Numbers {
    OfPieces,  // their own
    OfFile,    // vocab.json says it, by the piece's text
    OfFairseq, // one more, since <s> <pad> </s> <unk> come first
    OfPegasus, // "offset" more, 103 where no file says it
  } numbers = Numbers::OfPieces;
  /// Tokens by their role, where no file says it.
  std::vector<std::pair<const char *, const char *>> specials;
  /// What the model reads of a text A, and of two: roles between them;
  /// "language" is the token of the language that a text is in.
  const char *single, *pair;
  /// The language where no file says it, and how its token is written.
  const char *language = nullptr, *languageToken = "{}";
  /// Lists of languages by their names, of which "language_codes" names one,
  /// the first where it does not: their tokens follow the vocabulary where no
  /// file lists tokens of languages.
  std::vector<std::pair<std::string_view, std::string_view>> languageLists = {};
  /// <extra_id_0> and more behind the pieces, the last first; "extra_ids" says
  /// how many.
  int64_t extraIds = 0;
  /// "add_bos_token" and "add_eos_token" change `single` and `pair`.
  bool hasEndFlags = false;
};

/// The layout of a directory: that which its files name, or else the first of
/// which all files are there. Null where there is no SentencePiece model.
/// `hasNumbers`: they come from elsewhere, and no vocab.json is needed. Throws
/// CheckpointError where there is a model, and its layout is unknown.
const PieceLayout *pieceLayoutOf(const Directory &directory, bool hasNumbers);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_PIECELAYOUT_H
