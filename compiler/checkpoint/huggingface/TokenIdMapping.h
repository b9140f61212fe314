// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How Hugging Face directories number the pieces of a SentencePiece model, and
// which tokens are added around a text. Their tokenizer_config.json names the
// layout (`tokenizer_class`); its definition is in transformers' code, and
// here.

#pragma once

#include "compiler/checkpoint/Directory.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::checkpoint {

/// The layout of a tokenizer class.
struct TokenIdMapping {
  /// Names of tokenizer_class, without the "Fast" at the end of some.
  std::vector<std::string_view> classes;
  /// The file of the model that splits texts, and of the one that joins pieces,
  /// if that is another one.
  const char *model, *writer = nullptr;
  enum class Numbers {
    OfPieces,  // their own numbers
    OfFile,    // ids from vocab.json, by the piece's text
    OfFairseq, // plus one, because <s> <pad> </s> <unk> come first
    OfPegasus, // plus "offset", 103 if no file states it
  } numbers = Numbers::OfPieces;
  /// Tokens by their role, if no file states them.
  std::vector<std::pair<const char *, const char *>> specials;
  /// What the model reads for one text A, and for two: roles between the texts;
  /// "language" is the token of the language of the text.
  const char *single, *pair;
  /// The language if no file states it, and the form of its token.
  const char *language = nullptr, *languageToken = "{}";
  /// Lists of languages by their names. "language_codes" selects one, by
  /// default the first: its tokens follow the vocabulary if no file lists
  /// tokens of languages.
  std::vector<std::pair<std::string_view, std::string_view>> languageLists = {};
  /// <extra_id_0> and more follow the pieces, in reverse order; "extra_ids"
  /// overrides their number.
  int64_t extraIds = 0;
  /// Whether "add_bos_token" and "add_eos_token" change `single` and `pair`.
  bool hasEndFlags = false;
};

/// The layout of a directory: the one that its files name, or else the first
/// whose files are all present. Null if there is no SentencePiece model.
/// `hasNumbers`: ids come from elsewhere, and no vocab.json is needed. Throws
/// CheckpointError if there is a model, but its layout is unknown.
const TokenIdMapping *pieceLayoutOf(const Directory &directory,
                                    bool hasNumbers);

} // namespace transfold::checkpoint
