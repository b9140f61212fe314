// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embeds the texts of all clients together: one call for about a thousand
// tokens costs less than one call for each text. Requests take turns, so that a
// long one does not delay the others.

#ifndef TRANSFOLD_RUNTIME_SERVE_ENGINE_EMBEDDINGBATCHER_H
#define TRANSFOLD_RUNTIME_SERVE_ENGINE_EMBEDDINGBATCHER_H

#include "runtime/serve/api/Requests.h"
#include "runtime/serve/engine/EmbeddingJob.h"
#include "runtime/serve/engine/JobQueue.h"
#include "runtime/tasks/text/TextCall.h"

#include <thread>
#include <vector>

namespace transfold::runtime::serve {

/// The batcher, with a thread of its own.
class EmbeddingBatcher {
public:
  /// The session must not be used by others. Throws Error if the program does
  /// not embed texts. `mostWaiting` limits the queue.
  EmbeddingBatcher(Session &session, size_t mostWaiting);
  ~EmbeddingBatcher();
  EmbeddingBatcher(const EmbeddingBatcher &) = delete;
  EmbeddingBatcher &operator=(const EmbeddingBatcher &) = delete;

  int64_t dimensions() const;
  /// Tokenizes a text; may be called by any thread. Throws ApiError if the
  /// model cannot read the text, or cannot read all of it and `truncate` is
  /// false.
  Encoding encode(const TextOrIds &text, bool truncate,
                  const Look &look = {}) const;
  /// Queues a request. Throws ApiError if the queue is full, or after stop().
  EmbeddingJob::Pointer submit(std::vector<Encoding> texts,
                               Clock::time_point deadline,
                               std::function<bool()> isDisconnected);
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0; // requests in the queue
    size_t texts = 0, tokens = 0, batches = 0;
  };
  Numbers numbers() const;

private:
  /// One text of a job.
  struct Item {
    EmbeddingJob::Pointer job;
    size_t text;
  };

  TextCall call;
  JobQueue<EmbeddingJob::Pointer> queue;
  Numbers known;
  std::thread thread;

  /// The function of the thread.
  void work();
  std::vector<Item> gather();
  /// Embeds texts in one call, and finishes the jobs that are complete.
  void run(std::span<const Item> items);
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_ENGINE_EMBEDDINGBATCHER_H
