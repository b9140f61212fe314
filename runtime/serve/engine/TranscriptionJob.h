// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording in transit from the thread of its connection to the computing
// thread, and back as text.

#pragma once

#include "runtime/serve/engine/WaitingJob.h"
#include "runtime/tasks/speech/Transcriber.h"

#include <functional>
#include <memory>

namespace transfold::runtime::serve {

/// One transcription request.
class TranscriptionJob : public WaitingJob {
public:
  using Pointer = std::shared_ptr<TranscriptionJob>;

  TranscriptionJob(Recording given, TranscriptionOptions options,
                   Clock::time_point deadline,
                   std::function<bool()> isDisconnected)
      : WaitingJob(deadline, std::move(isDisconnected)),
        recording(std::move(given)),
        transcription(recording, std::move(options)) {}

  // For the requesting thread.
  /// Waits until the job has finished or failed; that happens at the latest
  /// when the server stops.
  void wait() { untilOver(); }
  const Transcription &result() const { return transcription; }

  // For the computing thread.
  Transcription &work() { return transcription; }
  /// Marks the job as done and wakes its requesting thread.
  void finish();

private:
  const Recording recording;
  /// Used by the computing thread until the job is done.
  Transcription transcription;
};

} // namespace transfold::runtime::serve
