// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to ids and back, exactly as the model's own tokenizer does it. The
// stages, in the order in which a text passes them, lie in runtime/tokenizer/.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZER_H

#include "runtime/Error.h"
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

namespace transfold::runtime {

struct Encoding {
  std::vector<int32_t> ids;
  /// Which text a token belongs to (segments, token_type_ids).
  std::vector<int32_t> types;
  /// Which of the given texts a token was found in, 0 or 1; -1 for those that
  /// are put around them.
  std::vector<int8_t> texts;
  /// Code points [begin, end) of the text; 0, 0 for tokens that are not in it.
  std::vector<Token> tokens;
  /// How many tokens of the text were left out because of the limit.
  size_t cut = 0;
};

/// Bytes [begin, end) of a text.
struct TextRange {
  size_t begin, end;
};

/// What a text may cost somebody who waits, or who has no room for all of it.
struct TokenizerEffort {
  /// Tokens: where a text has more, one more is found and the rest is not
  /// looked at.
  size_t most = SIZE_MAX;
  /// Throws TooManyTokens instead, as soon as that is certain: often before
  /// there are any.
  bool refuses = false;
  /// Called now and then; what it throws ends the work.
  std::function<void()> look = {};
};

class TooManyTokens : public Error {
public:
  using Error::Error;
};

class Tokenizer {
public:
  static constexpr size_t unlimited = SIZE_MAX;

  /// A tokenizer that the compiler made (compiler/tokenizer). The bytes begin
  /// at a multiple of `tablesAlignment`, and are used as long as the tokenizer
  /// is. Throws Error where they are damaged.
  explicit Tokenizer(std::string_view tables);

  /// The ids of a text between the special tokens that the model expects, at
  /// most `limit` in all. What `tokenize` does with `typed`. Throws Error where
  /// the text is not UTF-8.
  Encoding encode(std::string_view text, size_t limit = unlimited,
                  std::span<const TextRange> typed = {},
                  const TokenizerEffort &effort = {}) const;
  /// Whether the model says how two texts are put together.
  bool takesPairs() const;
  /// The ids of two texts that the model reads together.
  Encoding encodePair(std::string_view first, std::string_view second) const;

  /// The tokens of a text and nothing around them. In the ranges `typed`,
  /// which come from somebody who must not steer the model, special tokens are
  /// text as any other: "</s>" is four characters. Throws Error where the text
  /// is not UTF-8.
  std::vector<Token> tokenize(std::string_view text,
                              std::span<const TextRange> typed = {},
                              const TokenizerEffort &effort = {}) const;

  /// The text that ids stand for. Ids that are none are left out, and special
  /// tokens unless they are asked for. Throws Error where the model describes
  /// this in a way that is not known.
  std::string decode(std::span<const int32_t> ids,
                     bool withSpecial = false) const;

  /// The text of one token, as the vocabulary has it.
  std::optional<std::string> token(int32_t id) const;
  /// Whether a token is special: it controls the model, and is no text.
  bool isSpecial(int32_t id) const;
  /// The bytes of a token that is not made of whole characters; nothing for
  /// others.
  std::optional<std::string> partOfCharacter(int32_t id) const;
  /// The id of a token that was added to the vocabulary: [MASK].
  std::optional<int32_t> findAdded(std::string_view token) const;

private:
  class Words;
  Description description;
  /// Bytes that are in a token for certain, whatever is around them, and how
  /// many of them a token has at most.
  std::bitset<256> readBytes;
  size_t longestToken = 1;

  std::bitset<256> bytesInTokens() const;
  void tokenizeAll(std::string_view text, std::span<const TextRange> typed,
                   const TokenizerEffort &effort,
                   std::vector<Token> &tokens) const;
  void tokenizePiece(std::span<const Character> text,
                     const std::vector<bool> &typed,
                     const TokenizerEffort &effort,
                     std::vector<Token> &tokens) const;
  void refuseIfTooLong(std::string_view text,
                       const TokenizerEffort &effort) const;
  void appendAdded(const AddedTokens::Piece &piece,
                   std::vector<Token> &tokens) const;
  void appendWord(std::span<const Character> word,
                  std::vector<Token> &tokens) const;
  static Encoding assemble(const std::vector<PostProcessor::Part> &parts,
                           const std::vector<Token> *texts);
  std::string decodeBesideText(std::span<const int32_t> ids,
                               bool withSpecial) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZER_H
