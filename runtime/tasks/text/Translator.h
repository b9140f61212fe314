// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates several texts at a time: an encoder reads a text, a decoder writes
// the translation, and both use tokens of languages.

#pragma once

#include "runtime/steps/Generator.h"
#include "runtime/tasks/text/Languages.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Options of a translation.
struct TranslationOptions : GenerationOptions {
  TranslationOptions() { most = 256; }
  /// Language codes; empty: those of the model.
  std::string from, to;
};

/// A translation.
struct Translation {
  std::string text;
  std::vector<int32_t> ids; // the generated tokens, the end token included
  double score = 0;         // of beam search
  /// False: the maximum number of tokens was reached; an end token among them
  /// was forced by the model's rules.
  bool hasEnd = true;
};

/// Translates texts with one session.
class Translator {
public:
  /// Throws Error if the program does not translate texts, or does not know the
  /// languages of the options.
  Translator(Session &session, TranslationOptions options);

  /// The tokens that the model reads for a text; empty if the text is blank.
  /// Throws Error if it is too long, or if the target language is required but
  /// not given.
  std::vector<int32_t> sourceOf(const std::string &text) const;

  /// Translates texts, independently of each other. No source may be empty.
  /// Throws Error, and Cancelled.
  std::vector<Translation>
  translate(std::span<const std::vector<int32_t>> sources);

private:
  TranslationOptions options;
  Generator generator;
  Languages languages;
  Tokenizer tokenizer;
  std::optional<int32_t> sourceToken; // first token of the model's input
  /// Maximum number of tokens that the encoder reads.
  size_t limit = Tokenizer::unlimited;

  /// Sets the tokens for the languages of the options. Throws Error.
  void chooseLanguages();
  /// The text of the generated tokens, without those that end it or name a
  /// language.
  Translation translationOf(Continuation made) const;
};

} // namespace transfold::runtime::inline tasks
