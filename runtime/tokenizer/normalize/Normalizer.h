// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalization of a text before it is split into words: steps with their
// settings. `apply` rewrites a text; a step that may make it much longer gets
// the maximum number of characters.

#pragma once

#include "base/text/Unicode.h"
#include "runtime/tokenizer/characters/Pattern.h"
#include "runtime/tokenizer/normalize/BertNormalizer.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"
#include "runtime/tokenizer/normalize/PieceNormalizer.h"

#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// Converts to a normal form of Unicode.
struct ToNormalForm {
  NormalForm form;

  static auto fields(auto &self) { return std::tie(self.form); }
  void apply(Characters &text) const { normalize(text, form); }
};

/// Converts to lower case.
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

/// SentencePiece's text normalization before it had character maps.
struct CleanForTranslation {
  static auto fields(auto &) { return std::tuple(); }
  void apply(Characters &text) const;
};

/// Replaces each match by `content`.
struct ReplaceMatches {
  Pattern pattern;
  std::u32string content;

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.content);
  }
  void apply(Characters &text, size_t most) const;
};

/// Adds `content` before the text.
struct PrependText {
  std::u32string content;

  static auto fields(auto &self) { return std::tie(self.content); }
  void apply(Characters &text, size_t most) const;
};

/// SentencePiece's handling of spaces: replaces each one by U+2581, or adds one
/// U+2581 before each word, and optionally one before the first word.
struct MarkSpaces {
  bool prepend; // before the first word
  bool merge;   // one before each word, for any number of spaces

  static auto fields(auto &self) { return std::tie(self.prepend, self.merge); }
  void apply(Characters &text) const;
};

/// Replaces each byte by a printable character (ByteLevel.h).
struct WriteBytes {
  static auto fields(auto &) { return std::tuple(); }
  void apply(Characters &text) const;
};

/// The steps of the normalization.
struct Normalizer {
  using Step =
      std::variant<BertNormalizer, ToNormalForm, ToLowerCase, RemoveMarks,
                   StripText, CleanForTranslation, CharacterMap, ReplaceMatches,
                   PrependText, MarkSpaces, WriteBytes, PieceNormalizer>;
  std::vector<Step> steps;

  static auto fields(auto &self) { return std::tie(self.steps); }

  /// Throws Error if the text becomes disproportionately long.
  void apply(Characters &text) const;
};

} // namespace transfold::runtime::inline tokenizer
