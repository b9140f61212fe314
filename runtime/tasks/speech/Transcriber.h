// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings to text. A model hears a window of fixed length, 30 s for Whisper;
// a longer recording is read window by window, each from where the last
// complete piece of text ended in the one before it.

#ifndef TRANSFOLD_RUNTIME_TASKS_SPEECH_TRANSCRIBER_H
#define TRANSFOLD_RUNTIME_TASKS_SPEECH_TRANSCRIBER_H

#include "runtime/audio/Recording.h"
#include "runtime/steps/Generator.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

struct TranscriptionOptions {
  std::string language;    // a code, such as "de"; empty: the one that is heard
  bool translates = false; // into English
  bool hasTimes = false;   // else a short recording is one segment
  int64_t beams = 1;
  /// A window without words, whatever the model makes of it: where the
  /// probability that nobody speaks is above the one, and the mean log
  /// probability of what was made not above the other (Radford et al. 2022,
  /// 4.5).
  double noSpeech = 0.6, unlikely = -1;
};

struct Segment {
  double begin, end; // seconds from the beginning of the recording
  std::string text;  // as the tokenizer gives it: words begin with spaces
  std::vector<int32_t> tokens;
  /// Of the window that it was heard in.
  double meanLogProbability, noSpeech;
};

/// One recording that is becoming text. Its recording must live as long.
class Transcription {
public:
  Transcription(const Recording &recording, TranscriptionOptions options)
      : recording(recording), options(std::move(options)),
        problems(recording.warnings()) {}

  bool isOver() const { return over; }
  double seconds() const { return recording.seconds(); }
  double secondsDone() const {
    return static_cast<double>(place) / static_cast<double>(recording.rate());
  }
  /// The language's code, once the first window was heard; empty where the
  /// model knows one language only.
  const std::string &language() const { return code; }
  /// All so far.
  const std::vector<Segment> &segments() const { return made; }
  /// Of all windows so far.
  size_t tokensMade() const { return tokens; }
  /// What is not as it should be, a message each: those of the recording, and
  /// where words are missing because a window's text was cut.
  const std::vector<std::string> &warnings() const { return problems; }

private:
  friend class Transcriber;
  const Recording &recording;
  TranscriptionOptions options;
  int64_t place = 0; // the sample that the next window begins with
  bool over = false, hasBegun = false;
  std::string code;
  std::vector<Segment> made;
  size_t tokens = 0;
  std::vector<std::string> problems;
};

/// For one thread at a time.
class Transcriber {
public:
  /// Whether a program does what this is for.
  static bool canHear(const Metadata &metadata);
  /// Throws Error where the program has no task that hears, or no tokenizer.
  explicit Transcriber(Session &session);

  /// Samples a second, and of a window.
  int64_t rate() const { return speech().rate; }
  int64_t windowSamples() const { return window; }
  /// Codes of the languages that the model tells apart; none where it knows
  /// one.
  std::vector<std::string> languages() const;
  bool translates() const { return speech().translate.has_value(); }
  bool hasTimes() const { return speech().times.has_value(); }
  /// Throws Error where the model cannot do what is asked for, and says what it
  /// can.
  void check(const TranscriptionOptions &options) const;

  /// The next window of each of the recordings, none of which is over; what is
  /// made of them comes together. Throws Error, and Cancelled.
  void advance(std::span<Transcription *const> recordings,
               const IsCancelled &isCancelled = {});

private:
  /// A window that is being heard.
  struct Window {
    Transcription *of;
    int64_t samples; // of the recording; zeros follow
    bool hasTimes;
    size_t sequence = 0;
    std::vector<int32_t> prompt = {}, made = {};
    double meanLogProbability = 0, noSpeech = 0;
    bool isCut = false; // the model would have said more
  };
  struct Language {
    std::string code;
    int32_t token;
  };

  Generator generator;
  Tokenizer tokenizer;
  int64_t window = 0; // samples
  std::vector<Language> known;

  const Speech &speech() const { return *generator.task().speech; }
  const Language *language(std::string_view code) const;
  void hear(std::span<Window> windows, const IsCancelled &isCancelled);
  bool listen(Window &each);
  void detect(Window &each);
  GenerationOptions generation(const Window &each) const;
  void speakTogether(std::span<Window *const> windows,
                     const IsCancelled &isCancelled);
  void search(Window &each, const IsCancelled &isCancelled);
  void finish(Window &each) const;
  void tellIfCut(const Window &each, int64_t next) const;
  void add(Window &each, int64_t begin, int64_t end,
           std::vector<int32_t> tokens) const;
};

/// All text, without spaces around it.
std::string textOf(std::span<const Segment> segments);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_SPEECH_TRANSCRIBER_H
