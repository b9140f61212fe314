// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The complete description of a tokenizer: what the compiler generates from
// tokenizer.json, from a GGUF file's metadata or from a SentencePiece model,
// and what is stored (Tables.h). The class Tokenizer uses it.

#pragma once

#include "runtime/tokenizer/decode/Decoder.h"
#include "runtime/tokenizer/decode/PostProcessor.h"
#include "runtime/tokenizer/models/BytePairs.h"
#include "runtime/tokenizer/models/NamedPieces.h"
#include "runtime/tokenizer/models/ScoredPairs.h"
#include "runtime/tokenizer/models/Unigram.h"
#include "runtime/tokenizer/models/WordLevel.h"
#include "runtime/tokenizer/models/WordPiece.h"
#include "runtime/tokenizer/normalize/Normalizer.h"
#include "runtime/tokenizer/split/AddedTokens.h"
#include "runtime/tokenizer/split/PreTokenizer.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

namespace transfold::runtime::inline tokenizer {

/// The kinds of models. The tables store the index of an alternative, so that
/// their order is part of the format.
using Model = std::variant<WordPiece, BytePairs, Unigram, ScoredPairs,
                           NamedPieces, WordLevel>;

/// The texts of tokens that are not ordinary vocabulary entries, as they are
/// shown to users.
struct AddedTexts {
  struct Entry {
    int32_t id;
    uint32_t begin, length; // in `text`
    uint32_t special;       // decoding omits it by default
  };
  std::string_view text;
  std::span<const Entry> entries; // sorted by id

  static auto fields(auto &self) { return std::tie(self.text, self.entries); }

  /// The text of an added token, and whether decoding omits it.
  struct Added {
    std::string_view text;
    bool special;
  };
  /// The added token with an id; nullopt if the id is that of an ordinary
  /// token.
  std::optional<Added> find(int32_t id) const;
  /// The id of an added token with this text; nullopt if there is none.
  std::optional<int32_t> idOf(std::string_view token) const;

private:
  /// The text of an entry. Throws Error if the tables are damaged.
  std::string_view textOf(const Entry &entry) const;
};

/// The stages of a tokenizer, with all their tables.
struct Description {
  // Defined once: the destructors of variants are expensive to compile, and
  // many files read this one.
  Description();
  Description(Description &&) noexcept;
  Description &operator=(Description &&) noexcept;
  ~Description();

  Vocabulary vocabulary;
  Model model;
  Normalizer normalizer;
  PreTokenizer preTokenizer;
  PostProcessor postProcessor;
  /// Recognized in the text as given, and in the normalized text.
  AddedTokens rawTokens, normalizedTokens;
  /// Recognized only at the beginning of a text: ">>de<<".
  AddedTokens leadingTokens;
  AddedTexts added;
  std::optional<Decoder> decoder;
  std::string decoderProblem; // why there is no decoder
  /// Added tokens are literal text: they are not passed to the decoder.
  bool addedAreText = false;
  /// A text begins with a space that the tokenizer added.
  bool dropsFirstSpace = false;

  static auto fields(auto &self) {
    return std::tie(self.vocabulary, self.model, self.normalizer,
                    self.preTokenizer, self.postProcessor, self.rawTokens,
                    self.normalizedTokens, self.leadingTokens, self.added,
                    self.decoder, self.decoderProblem, self.addedAreText,
                    self.dropsFirstSpace);
  }
};

} // namespace transfold::runtime::inline tokenizer
