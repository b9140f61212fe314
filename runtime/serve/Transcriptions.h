// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings of all clients: a queue with a limit, and the thread that hears
// them. Several are heard at the same time, a window of each in turn, and what
// is made of their windows comes in common steps.

#ifndef TRANSFOLD_RUNTIME_SERVE_TRANSCRIPTIONS_H
#define TRANSFOLD_RUNTIME_SERVE_TRANSCRIPTIONS_H

#include "runtime/serve/AudioRequests.h"
#include "runtime/serve/JobQueue.h"
#include "runtime/serve/TranscriptionJob.h"

#include <thread>
#include <vector>

namespace transfold::runtime::serve {

class Transcriptions {
public:
  /// Recordings that are heard at the same time, and that wait.
  Transcriptions(const LoadedProgram &program, ThreadPool &pool,
                 size_t mostRunning, size_t mostWaiting);
  ~Transcriptions();
  Transcriptions(const Transcriptions &) = delete;
  Transcriptions &operator=(const Transcriptions &) = delete;

  bool translates() const { return transcriber.translates(); }
  /// For any thread. Throws ApiError where the file is no recording that can be
  /// heard, or the model cannot do what is asked for, where too many wait
  /// already, and after stop().
  TranscriptionJob::Pointer submit(AudioRequest request, bool translates,
                                   Clock::time_point deadline,
                                   std::function<bool()> isGone);
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0, running = 0; // requests
    double seconds = 0;              // that were heard
    size_t tokens = 0;
  };
  Numbers numbers() const;

private:
  Session session;
  Transcriber transcriber; // of the thread; others only ask what it can
  size_t mostRunning;
  JobQueue<TranscriptionJob::Pointer> queue;
  std::vector<TranscriptionJob::Pointer> running; // of the thread
  Numbers known;
  std::thread thread;

  TranscriptionOptions optionsOf(const AudioRequest &request,
                                 bool translates) const;
  bool next();
  bool isNobodyThere();
  void advance(std::span<const TranscriptionJob::Pointer> jobs);
  void settle();
  void work();
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_TRANSCRIPTIONS_H
