// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transcription of recordings, window by window. There are two kinds of models:
// those that generate the tokens of a text (GeneratingTranscriber.h), and those
// that have a row of logits for each frame of a window (FrameTranscriber.h).

#pragma once

#include "runtime/audio/Recording.h"
#include "runtime/program/call/Session.h"
#include "runtime/steps/Cancellation.h"

#include <cstdint>
#include <memory>
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
  friend class GeneratingTranscriber;
  friend class FrameTranscriber;
  const Recording &recording;
  TranscriptionOptions options;
  int64_t place = 0; // the sample at which the next window begins
  bool over = false, hasBegun = false;
  std::string code;
  std::vector<Segment> made;
  size_t tokens = 0;
  std::vector<std::string> problems;
  /// What a FrameTranscriber knows of the frames so far.
  struct Frames;
  std::shared_ptr<Frames> frames;
};

/// Transcribes recordings with one session; for one thread at a time.
class Transcriber {
public:
  /// Whether a program can transcribe speech.
  static bool canHear(const Metadata &metadata);
  /// The task that reads recordings; null if there is none.
  static const Task *hearingTask(const Metadata &metadata);
  /// Throws Error if the program has no such task, or cannot write texts.
  static std::unique_ptr<Transcriber> make(Session &session);
  virtual ~Transcriber() = default;

  /// Samples per second.
  virtual int64_t rate() const = 0;
  /// Whether the model can translate into English, and whether it generates
  /// times.
  virtual bool translates() const = 0;
  virtual bool hasTimes() const = 0;
  /// Throws Error if the model does not support the options; the message lists
  /// what it supports.
  virtual void check(const TranscriptionOptions &options) const = 0;

  /// Processes the next window of each recording, none of which may be over,
  /// together. Throws Error, and Cancelled.
  virtual void advance(std::span<Transcription *const> recordings,
                       const IsCancelled &isCancelled = {}) = 0;
};

/// The text of all segments, without spaces at its ends.
std::string textOf(std::span<const Segment> segments);

} // namespace transfold::runtime::inline tasks
