// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts to texts in another language, several at a time: encoders that read a
// text, decoders that write one, and the tokens of their languages.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_TRANSLATOR_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_TRANSLATOR_H

#include "runtime/steps/Generator.h"
#include "runtime/tasks/text/Languages.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

struct TranslationOptions : GenerationOptions {
  TranslationOptions() { most = 256; }
  /// Codes of languages; empty: as the model says.
  std::string from, to;
};

struct Translation {
  std::string text;
  std::vector<int32_t> ids; // that were made, the end included
  double score = 0;         // of a search with beams
  bool hasEnd = true; // else there were as many tokens as may be, and if an
                      // end is among them, the model's rules forced it
};

class Translator {
public:
  /// Throws Error where the program does not translate texts, or the options
  /// ask for languages that it does not know.
  Translator(Session &session, TranslationOptions options);

  /// What the model reads of a text; nothing where it is blank. Throws Error
  /// where it is too long, or does not say which language it becomes.
  std::vector<int32_t> sourceOf(const std::string &text) const;

  /// Each is what it is alone. None of the sources is empty. Throws Error, and
  /// Cancelled.
  std::vector<Translation>
  translate(std::span<const std::vector<int32_t>> sources);

private:
  TranslationOptions options;
  Generator generator;
  Languages languages;
  Tokenizer tokenizer;
  std::optional<int32_t> sourceToken; // begins what the model reads
  size_t limit = Tokenizer::unlimited;

  void chooseLanguages();
  Translation translationOf(Continuation made) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_TRANSLATOR_H
