// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transcription of recordings. A model reads a window of fixed length, 30 s for
// Whisper; a longer recording is processed window by window, each from the end
// of the last complete segment of the preceding one.

#pragma once

#include "runtime/audio/Recording.h"
#include "runtime/steps/Generator.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Options of a transcription.
struct TranscriptionOptions {
  std::string language;    // a code, such as "de"; empty: detected
  bool translates = false; // translate into English
  bool hasTimes = false;   // false: a short recording is one segment
  int64_t beams = 1;
  /// A window is treated as silent, whatever text the model generates, if the
  /// probability of no speech is above `noSpeech` and the mean log probability
  /// of the text is not above `unlikely` (Radford et al. 2022, 4.5).
  double noSpeech = 0.6, unlikely = -1;
};

/// A segment of the text with its times.
struct Segment {
  double begin, end; // seconds from the beginning of the recording
  std::string text;  // as decoded: words begin with spaces
  std::vector<int32_t> tokens;
  /// Values of the window that contains the segment.
  double meanLogProbability, noSpeech;
};

/// The state of one transcription. Its recording must outlive it.
class Transcription {
public:
  Transcription(const Recording &recording, TranscriptionOptions options)
      : recording(recording), options(std::move(options)),
        problems(recording.warnings()) {}

  /// Whether all of the recording was processed.
  bool isOver() const { return over; }
  /// Duration of the recording, and the part of it that was processed, in
  /// seconds.
  double seconds() const { return recording.seconds(); }
  double secondsDone() const {
    return static_cast<double>(place) / static_cast<double>(recording.rate());
  }
  /// The language code, after the first window was processed; empty if the
  /// model knows only one language.
  const std::string &language() const { return code; }
  /// All segments so far.
  const std::vector<Segment> &segments() const { return made; }
  /// Number of tokens of all windows so far.
  size_t tokensMade() const { return tokens; }
  /// Warnings: those of the recording, and one for each window whose text was
  /// cut, so that words are missing.
  const std::vector<std::string> &warnings() const { return problems; }

private:
  friend class Transcriber;
  const Recording &recording;
  TranscriptionOptions options;
  int64_t place = 0; // the sample at which the next window begins
  bool over = false, hasBegun = false;
  std::string code;
  std::vector<Segment> made;
  size_t tokens = 0;
  std::vector<std::string> problems;
};

/// Transcribes recordings with one session; for one thread at a time.
class Transcriber {
public:
  /// Whether a program can transcribe speech.
  static bool canHear(const Metadata &metadata);
  /// Throws Error if the program has no speech task, or no tokenizer.
  explicit Transcriber(Session &session);

  /// Samples per second.
  int64_t rate() const { return speech().rate; }
  /// Codes of the languages that the model distinguishes; empty if it knows
  /// only one.
  std::vector<std::string> languages() const;
  /// Whether the model can translate into English, and whether it generates
  /// times.
  bool translates() const { return speech().translate.has_value(); }
  bool hasTimes() const { return speech().times.has_value(); }
  /// Throws Error if the model does not support the options; the message lists
  /// what it supports.
  void check(const TranscriptionOptions &options) const;

  /// Processes the next window of each recording, none of which may be over, in
  /// common decode steps. Throws Error, and Cancelled.
  void advance(std::span<Transcription *const> recordings,
               const IsCancelled &isCancelled = {});

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

/// The text of all segments, without spaces at its ends.
std::string textOf(std::span<const Segment> segments);

} // namespace transfold::runtime::inline tasks
