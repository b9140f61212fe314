// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to a text before it is cut into words: steps, each with what it
// has to know. `apply` rewrites a text; where a step may make a text much
// longer, it is told how many characters are the most.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_NORMALIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_NORMALIZER_H

#include "runtime/tokenizer/characters/Pattern.h"
#include "runtime/tokenizer/characters/Unicode.h"
#include "runtime/tokenizer/normalize/BertNormalizer.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"
#include "runtime/tokenizer/normalize/PieceNormalizer.h"

#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace transfold::runtime {

struct ToNormalForm {
  NormalForm form;

  static auto fields(auto &self) { return std::tie(self.form); }
  void apply(Characters &text) const { normalize(text, form); }
};

struct ToLowerCase {
  static auto fields(auto &) { return std::tuple(); }
  void apply(Characters &text) const { toLowerCase(text); }
};

/// Removes all marks.
struct RemoveMarks {
  static auto fields(auto &) { return std::tuple(); }
  void apply(Characters &text) const;
};

/// Removes white space at the ends.
struct StripText {
  bool left, right;

  static auto fields(auto &self) { return std::tie(self.left, self.right); }
  void apply(Characters &text) const;
};

/// What SentencePiece did with text before it had maps of characters.
struct CleanForTranslation {
  static auto fields(auto &) { return std::tuple(); }
  void apply(Characters &text) const;
};

/// Puts `content` in the place of each match.
struct ReplaceMatches {
  Pattern pattern;
  std::u32string content;

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.content);
  }
  void apply(Characters &text, size_t most) const;
};

struct PrependText {
  std::u32string content;

  static auto fields(auto &self) { return std::tie(self.content); }
  void apply(Characters &text, size_t most) const;
};

/// What SentencePiece does with spaces: U+2581 in the place of each, or one
/// before each word, and one before the first word.
struct MarkSpaces {
  bool prepend; // before the first word
  bool merge;   // one before each word, however many spaces there are

  static auto fields(auto &self) { return std::tie(self.prepend, self.merge); }
  void apply(Characters &text) const;
};

/// Each byte as a character one can see (ByteLevel.h).
struct WriteBytes {
  static auto fields(auto &) { return std::tuple(); }
  void apply(Characters &text) const;
};

struct Normalizer {
  using Step =
      std::variant<BertNormalizer, ToNormalForm, ToLowerCase, RemoveMarks,
                   StripText, CleanForTranslation, CharacterMap, ReplaceMatches,
                   PrependText, MarkSpaces, WriteBytes, PieceNormalizer>;
  std::vector<Step> steps;

  static auto fields(auto &self) { return std::tie(self.steps); }

  /// Throws Error where the text becomes out of proportion long.
  void apply(Characters &text) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_NORMALIZER_H
