// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that generate the tokens of a text. They read a window of fixed
// length, 30 s for Whisper; a longer recording is processed window by window,
// each from the end of the last complete segment of the preceding one.

#pragma once

#include "runtime/steps/Generator.h"
#include "runtime/tasks/speech/Transcriber.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Transcribes with a task that generates tokens.
class GeneratingTranscriber final : public Transcriber {
public:
  /// Throws Error if the program has no speech task, or no tokenizer.
  explicit GeneratingTranscriber(Session &session);

  int64_t rate() const override { return speech().rate; }
  /// Codes of the languages that the model distinguishes; empty if it knows
  /// only one.
  std::vector<std::string> languages() const;
  bool translates() const override { return speech().translate.has_value(); }
  bool hasTimes() const override { return speech().times.has_value(); }
  void check(const TranscriptionOptions &options) const override;
  void advance(std::span<Transcription *const> recordings,
               const IsCancelled &isCancelled = {}) override;

private:
  /// A window that is being processed.
  struct Window {
    Transcription *of;
    int64_t samples; // samples of the recording; followed by zeros
    bool hasTimes;
    size_t sequence = 0;
    std::vector<int32_t> prompt = {}, made = {};
    double meanLogProbability = 0, noSpeech = 0;
    bool isCut = false; // the text was cut before its end
  };
  /// A language of the model, and the token that stands for it in prompts.
  struct Language {
    std::string code;
    int32_t token;
  };

  Generator generator;
  Tokenizer tokenizer;
  int64_t window = 0; // number of samples
  std::vector<Language> known;

  const Speech &speech() const { return *generator.task().speech; }
  /// The language of a code, ignoring case; null if the model does not know it.
  const Language *language(std::string_view code) const;
  /// Generates the texts of windows; silent ones get none.
  void hear(std::span<Window> windows, const IsCancelled &isCancelled);
  bool listen(Window &each);
  void detect(Window &each);
  /// How the text of a window is generated.
  GenerationOptions generation(const Window &each) const;
  void speakTogether(std::span<Window *const> windows,
                     const IsCancelled &isCancelled);
  /// Beam search for one window.
  void search(Window &each, const IsCancelled &isCancelled);
  void finish(Window &each) const;
  void tellIfCut(const Window &each, int64_t next) const;
  /// Adds a segment unless it is blank; `begin` and `end` are samples of the
  /// window.
  void add(Window &each, int64_t begin, int64_t end,
           std::vector<int32_t> tokens) const;
};

} // namespace transfold::runtime::inline tasks
