// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording on its way from the thread of its connection to the one that
// computes, and back as text.

#ifndef TRANSFOLD_RUNTIME_SERVE_TRANSCRIPTIONJOB_H
#define TRANSFOLD_RUNTIME_SERVE_TRANSCRIPTIONJOB_H

#include "runtime/serve/AnswerStream.h"
#include "runtime/tasks/Transcriber.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace transfold::runtime::serve {

class TranscriptionJob {
public:
  using Pointer = std::shared_ptr<TranscriptionJob>;

  /// `isGone` says whether the client is still there; it may be empty.
  TranscriptionJob(Recording given, TranscriptionOptions options,
                   Clock::time_point deadline, std::function<bool()> isGone)
      : recording(std::move(given)), deadline(deadline),
        isGone(std::move(isGone)),
        transcription(recording, std::move(options)) {}
  TranscriptionJob(const TranscriptionJob &) = delete;
  TranscriptionJob &operator=(const TranscriptionJob &) = delete;

  // Of who asks.
  /// Waits for the end, which comes: at the latest when the server stops.
  void wait();
  /// At the end: why there is no text.
  const std::optional<ApiError> &error() const { return problem; }
  const Transcription &result() const { return transcription; }

  // Of who computes.
  Transcription &work() { return transcription; }
  /// Whether nobody wants the rest: then the request has ended.
  bool isUnwanted();
  void finish();
  void fail(const ApiError &error);

private:
  const Recording recording;
  Clock::time_point deadline;
  std::function<bool()> isGone;
  Transcription transcription; // of the thread that computes, until the end

  std::mutex mutex;
  std::condition_variable isNew;
  bool isDone = false;
  std::optional<ApiError> problem;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_TRANSCRIPTIONJOB_H
