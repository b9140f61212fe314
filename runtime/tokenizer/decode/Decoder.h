// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens back to text: steps, each of which rewrites the tokens of the
// preceding step. A step that may make them much longer gets the maximum number
// of bytes.

#pragma once

#include "runtime/tokenizer/characters/Pattern.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The texts of tokens, in order.
using TokenTexts = std::vector<std::string>;

/// Joins all tokens to one text, whose characters stand for bytes
/// (ByteLevel.h).
struct ReadBytes {
  static auto fields(auto &) { return std::tuple(); }
  void apply(TokenTexts &tokens) const;
};

/// Decodes adjacent tokens such as <0x0A>, which stand for bytes.
struct ReadByteTokens {
  static auto fields(auto &) { return std::tuple(); }
  void apply(TokenTexts &tokens) const;
};

/// Joins all tokens to one text.
struct JoinTokens {
  static auto fields(auto &) { return std::tuple(); }
  void apply(TokenTexts &tokens) const;
};

/// Marks become spaces; a mark before the first token is dropped if it was
/// added by the tokenizer.
struct UnmarkSpaces {
  std::string mark;
  bool prepended;

  static auto fields(auto &self) { return std::tie(self.mark, self.prepended); }
  void apply(TokenTexts &tokens) const;
};

/// Replaces each match by `content`.
struct ReplaceInTokens {
  Pattern pattern;
  std::string content;

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.content);
  }
  void apply(TokenTexts &tokens, size_t most) const;
};

/// Removes up to `start` and `stop` characters `content` from the ends of each
/// token.
struct StripTokens {
  std::string content;
  uint64_t start, stop;

  static auto fields(auto &self) {
    return std::tie(self.content, self.start, self.stop);
  }
  void apply(TokenTexts &tokens) const;
};

/// Adds a space before each token that does not begin with the prefix of
/// continuations.
struct JoinWordPieces {
  std::string prefix;
  bool clean; // remove spaces before punctuation and English contractions

  static auto fields(auto &self) { return std::tie(self.prefix, self.clean); }
  void apply(TokenTexts &tokens) const;
};

/// Replaces each suffix, which marks the end of a word, by a space, except for
/// the last one.
struct EndWords {
  std::string suffix;

  static auto fields(auto &self) { return std::tie(self.suffix); }
  void apply(TokenTexts &tokens) const;
};

/// SentencePiece's decoding: marks become spaces, except for those added before
/// the text, and byte tokens become their bytes.
struct JoinPieces {
  bool dropsSpace;              // a single one at the beginning
  bool dropsSpaces;             // all pieces at the beginning lose one
  std::string unknown, surface; // the unknown piece, and its replacement
  CharacterMap denormalizer;    // applied to the whole text

  static auto fields(auto &self) {
    return std::tie(self.dropsSpace, self.dropsSpaces, self.unknown,
                    self.surface, self.denormalizer);
  }
  void apply(TokenTexts &tokens, size_t most) const;
};

/// The steps that convert tokens to text.
struct Decoder {
  using Step = std::variant<ReadBytes, ReadByteTokens, JoinTokens, UnmarkSpaces,
                            ReplaceInTokens, StripTokens, JoinWordPieces,
                            EndWords, JoinPieces>;
  std::vector<Step> steps;
  /// If the model does not describe its decoder, tokens are separated by
  /// spaces.
  bool spaced = false;

  static auto fields(auto &self) { return std::tie(self.steps, self.spaced); }

  /// The text of tokens; UTF-8 if the tokens are. Throws Error if it becomes
  /// disproportionately long.
  std::string decode(TokenTexts tokens) const;
  /// The bytes for which a token is written, if the steps decode tokens to
  /// bytes.
  std::optional<std::string> writtenBytes(std::string_view token) const;
};

} // namespace transfold::runtime::inline tokenizer
