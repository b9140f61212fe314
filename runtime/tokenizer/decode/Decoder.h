// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens back to text: steps, each of which rewrites the tokens of the one
// before. Where a step may make them much longer, it is told how many bytes
// are the most.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_DECODE_DECODER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_DECODE_DECODER_H

#include "runtime/tokenizer/characters/Pattern.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace transfold::runtime {

using TokenTexts = std::vector<std::string>;

/// One text of all tokens, whose characters stand for bytes (ByteLevel.h).
struct ReadBytes {
  static auto fields(auto &) { return std::tuple(); }
  void apply(TokenTexts &tokens) const;
};

/// Tokens such as <0x0A> side by side become what their bytes say.
struct ReadByteTokens {
  static auto fields(auto &) { return std::tuple(); }
  void apply(TokenTexts &tokens) const;
};

/// One text of all tokens.
struct JoinTokens {
  static auto fields(auto &) { return std::tuple(); }
  void apply(TokenTexts &tokens) const;
};

/// Marks become spaces; one before the first token is dropped if it was put
/// there.
struct UnmarkSpaces {
  std::string mark;
  bool prepended;

  static auto fields(auto &self) { return std::tie(self.mark, self.prepended); }
  void apply(TokenTexts &tokens) const;
};

/// Puts `content` in the place of each match.
struct ReplaceInTokens {
  Pattern pattern;
  std::string content;

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.content);
  }
  void apply(TokenTexts &tokens, size_t most) const;
};

/// Takes up to `start` and `stop` characters `content` from each token's ends.
struct StripTokens {
  std::string content;
  uint64_t start, stop;

  static auto fields(auto &self) {
    return std::tie(self.content, self.start, self.stop);
  }
  void apply(TokenTexts &tokens) const;
};

/// A space before each token that does not begin with the prefix of those that
/// go on.
struct JoinWordPieces {
  std::string prefix;
  bool clean; // no spaces before punctuation and English endings

  static auto fields(auto &self) { return std::tie(self.prefix, self.clean); }
  void apply(TokenTexts &tokens) const;
};

/// A space for each suffix, which ends words, but for the last.
struct EndWords {
  std::string suffix;

  static auto fields(auto &self) { return std::tie(self.suffix); }
  void apply(TokenTexts &tokens) const;
};

/// What SentencePiece makes of its pieces: marks become spaces, except for
/// those that were put before the text, and bytes what they say.
struct JoinPieces {
  bool dropsSpace;              // one at the beginning
  bool dropsSpaces;             // all pieces at the beginning lose one
  std::string unknown, surface; // the unknown piece, and what becomes of it
  CharacterMap denormalizer;    // of the whole text

  static auto fields(auto &self) {
    return std::tie(self.dropsSpace, self.dropsSpaces, self.unknown,
                    self.surface, self.denormalizer);
  }
  void apply(TokenTexts &tokens, size_t most) const;
};

struct Decoder {
  using Step = std::variant<ReadBytes, ReadByteTokens, JoinTokens, UnmarkSpaces,
                            ReplaceInTokens, StripTokens, JoinWordPieces,
                            EndWords, JoinPieces>;
  std::vector<Step> steps;
  /// Where nothing is known of the tokens, there is a space between them.
  bool spaced = false;

  static auto fields(auto &self) { return std::tie(self.steps, self.spaced); }

  /// The text that tokens stand for; UTF-8 where the tokens are. Throws Error
  /// where it becomes out of proportion long.
  std::string decode(TokenTexts tokens) const;
  /// The bytes that a token is written for, where it is written for bytes.
  std::optional<std::string> writtenBytes(std::string_view token) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_DECODE_DECODER_H
