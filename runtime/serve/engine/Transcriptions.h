// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transcribes the recordings of all clients: a bounded queue, and the thread
// that computes. Several recordings are processed at the same time, one window
// of each, and their decode steps are shared.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/serve/api/AudioRequests.h"
#include "runtime/serve/engine/JobQueue.h"
#include "runtime/serve/engine/TranscriptionJob.h"

#include <memory>
#include <thread>
#include <vector>

namespace transfold::runtime::serve {

/// Its public functions are thread-safe.
class Transcriptions : NonCopyable {
public:
  /// Limits of the recordings that are processed at the same time, and of the
  /// queue.
  Transcriptions(const LoadedProgram &program, ThreadPool &pool,
                 size_t mostRunning, size_t mostWaiting);
  ~Transcriptions();

  bool translates() const { return transcriber->translates(); }
  /// Queues a recording; may be called by any thread. Throws ApiError if the
  /// file is not a usable recording, if the model does not support the request,
  /// if the queue is full, and after stop().
  TranscriptionJob::Pointer submit(AudioRequest request, bool translates,
                                   Clock::time_point deadline,
                                   std::function<bool()> isDisconnected);
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0, running = 0; // numbers of requests
    double seconds = 0;              // total length of the recordings processed
    size_t tokens = 0;
  };
  Numbers numbers() const { return queue.withWaiting(known); }

private:
  Session session;
  /// Used by the thread; other threads only query its capabilities.
  std::unique_ptr<Transcriber> transcriber;
  size_t mostRunning;
  JobQueue<TranscriptionJob::Pointer> queue;
  std::vector<TranscriptionJob::Pointer> running; // used by the thread only
  Numbers known;
  std::thread thread;

  TranscriptionOptions optionsOf(const AudioRequest &request,
                                 bool translates) const;
  bool next();
  bool isNobodyThere();
  void advance(std::span<const TranscriptionJob::Pointer> jobs);
  /// Finishes jobs whose recordings are complete.
  void settle();
  void work();
};

} // namespace transfold::runtime::serve
