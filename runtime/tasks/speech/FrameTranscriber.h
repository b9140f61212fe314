// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that score a token, or none (the blank), for each frame of a
// recording: connectionist temporal classification (Graves et al. 2006). The
// text is that of the likeliest token of each frame, where equal neighbors
// count once and blanks not at all.
//
// A short recording is one window. Of a longer one, windows overlap, and frames
// near an end that is not an end of the recording are dropped:
//
//   window 1   |-------------------|ccccc
//   window 2                  ccccc|---------|ccccc
//   window 3                            ccccc|-------------|

#pragma once

#include "runtime/program/call/Call.h"
#include "runtime/tasks/speech/Transcriber.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Transcribes with a task that scores each frame.
class FrameTranscriber final : public Transcriber {
public:
  /// Throws Error if the task does not say how to write its tokens, or if an
  /// entry does not take the result of the one before it.
  FrameTranscriber(Session &session, const Task &task);

  int64_t rate() const override { return task.speech->rate; }
  bool translates() const override { return false; }
  bool hasTimes() const override { return false; }
  void check(const TranscriptionOptions &options) const override;
  void advance(std::span<Transcription *const> recordings,
               const IsCancelled &isCancelled = {}) override;

private:
  /// The samples that are read for a part of a recording.
  struct Window {
    Transcription *of;
    int64_t begin, end; // of the recording
    int64_t kept;       // the end of the part whose frames are kept
  };

  const Task &task;
  std::optional<Tokenizer> tokenizer; // unless the task has the words itself
  std::vector<Call> calls;            // one for each entry

  Window windowOf(Transcription &of) const;
  /// Runs all entries on the windows; the last call then has the logits.
  void run(std::span<const Window> windows);
  void takeOver(const Call &from, Call &to) const;
  /// The tokens of the frames that are kept, as the model repeats them.
  std::vector<int32_t> heard(const Window &window, size_t sequence) const;
  void finish(const Window &window, std::span<const int32_t> frames) const;
  /// The text of tokens.
  std::string textOf(std::span<const int32_t> tokens) const;
};

} // namespace transfold::runtime::inline tasks
