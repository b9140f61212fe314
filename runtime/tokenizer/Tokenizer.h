// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to ids and back, exactly as the model's own tokenizer does it. The
// stages, in the order in which a text passes them, are the other files of this
// folder.

#pragma once

#include "base/Error.h"
#include "runtime/tokenizer/Description.h"
#include "runtime/tokenizer/Model.h"

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The ids of a text with their origin.
struct Encoding {
  std::vector<int32_t> ids;
  /// The segment to which a token belongs (token_type_ids).
  std::vector<int32_t> types;
  /// The text in which a token was found, 0 or 1; -1 for tokens added around
  /// the texts.
  std::vector<int8_t> texts;
  /// Code points [begin, end) of the text; 0, 0 for added tokens.
  std::vector<Token> tokens;
  /// Number of tokens of the text that were dropped because of the limit.
  size_t cut = 0;
};

/// Bytes [begin, end) of a text.
struct TextRange {
  size_t begin, end;
};

/// Limits of the work for a text, and cancellation.
struct TokenizerEffort {
  /// Maximum number of tokens: if a text has more, one more is found and the
  /// rest is not processed.
  size_t most = SIZE_MAX;
  /// Throw TooManyTokens instead, as soon as that is certain: often before
  /// there are any tokens.
  bool refuses = false;
  /// Called regularly; an exception that it throws ends the work.
  std::function<void()> look = {};
};

/// Thrown if a text has more tokens than TokenizerEffort allows.
class TooManyTokens : public Error {
public:
  using Error::Error;
};

/// The tokenizer of a program. May be used by any number of threads.
class Tokenizer {
public:
  static constexpr size_t unlimited = SIZE_MAX;

  /// Uses tables that the compiler generated (compiler/tokenizer). The bytes
  /// must be aligned to `tablesAlignment` and must outlive this object. Throws
  /// Error if they are damaged.
  explicit Tokenizer(std::string_view tables);

  /// The ids of a text with the special tokens that the model expects around
  /// it, at most `limit` in all. `typed` as for tokenize(). Throws Error if the
  /// text is not UTF-8.
  Encoding encode(std::string_view text, size_t limit = unlimited,
                  std::span<const TextRange> typed = {},
                  const TokenizerEffort &effort = {}) const;
  /// Whether the model specifies how two texts are combined.
  bool takesPairs() const;
  /// The ids of two texts that the model reads together, at most `limit` in
  /// all: tokens at the end of the longer text are dropped first. Throws Error
  /// if a text is not UTF-8.
  Encoding encodePair(std::string_view first, std::string_view second,
                      size_t limit = unlimited,
                      const TokenizerEffort &effort = {}) const;

  /// The tokens of a text without special tokens around it. In the ranges
  /// `typed`, which come from untrusted input, special tokens are not
  /// recognized: "</s>" is four characters there. Throws Error if the text is
  /// not UTF-8.
  std::vector<Token> tokenize(std::string_view text,
                              std::span<const TextRange> typed = {},
                              const TokenizerEffort &effort = {}) const;

  /// The text of ids. Invalid ids are omitted, and special tokens unless
  /// `withSpecial` is true. Throws Error if the model's decoder is not
  /// supported.
  std::string decode(std::span<const int32_t> ids,
                     bool withSpecial = false) const;

  /// The text of one token in the vocabulary; nullopt if there is no such id.
  std::optional<std::string> token(int32_t id) const;
  /// Whether a token is special: it controls the model and does not stand for
  /// text.
  bool isSpecial(int32_t id) const;
  /// The bytes of a token that does not consist of whole characters; nullopt
  /// for other tokens.
  std::optional<std::string> partOfCharacter(int32_t id) const;
  /// The id of an added token, such as [MASK].
  std::optional<int32_t> findAdded(std::string_view token) const;

private:
  /// Receives words from the pre-tokenizer.
  class Words;
  Description description;
  /// Bytes that certainly become part of a token, whatever is next to them; and
  /// the maximum number of them in a token.
  std::bitset<256> readBytes;
  size_t longestToken = 1;

  std::bitset<256> bytesInTokens() const;
  /// Appends the tokens of a text. Throws Error, and Enough if there are more
  /// than `effort.most`.
  void tokenizeAll(std::string_view text, std::span<const TextRange> typed,
                   const TokenizerEffort &effort,
                   std::vector<Token> &tokens) const;
  /// Appends the tokens of text between added tokens that are recognized in the
  /// text as given.
  void tokenizePiece(std::span<const Character> text,
                     const std::vector<bool> &typed,
                     const TokenizerEffort &effort,
                     std::vector<Token> &tokens) const;
  /// Throws TooManyTokens if a text certainly has too many tokens: each token
  /// has at most `longestToken` bytes.
  void refuseIfTooLong(std::string_view text,
                       const TokenizerEffort &effort) const;
  /// Appends an added token, and the tokens of a word.
  void appendAdded(const AddedTokens::Piece &piece,
                   std::vector<Token> &tokens) const;
  void appendWord(std::span<const Character> word,
                  std::vector<Token> &tokens) const;
  /// The model's input: special tokens and the tokens of one or two texts, in
  /// the order of `parts`.
  static Encoding assemble(const std::vector<PostProcessor::Part> &parts,
                           const std::vector<Token> *texts);
  std::string decodeBesideText(std::span<const int32_t> ids,
                               bool withSpecial) const;
};

} // namespace transfold::runtime::inline tokenizer
