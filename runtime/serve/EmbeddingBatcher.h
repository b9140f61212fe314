// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of all clients, turned into vectors together: a call for about a
// thousand tokens costs less than one for each text. Requests take turns, so
// that a long one does not keep the others waiting.

#ifndef TRANSFOLD_RUNTIME_SERVE_EMBEDDINGBATCHER_H
#define TRANSFOLD_RUNTIME_SERVE_EMBEDDINGBATCHER_H

#include "runtime/serve/EmbeddingJob.h"
#include "runtime/serve/JobQueue.h"
#include "runtime/serve/Requests.h"
#include "runtime/tasks/TextCall.h"

#include <thread>
#include <vector>

namespace transfold::runtime::serve {

class EmbeddingBatcher {
public:
  /// Nobody else uses the session. Throws Error where the program does not
  /// embed texts.
  EmbeddingBatcher(Session &session, size_t mostWaiting);
  ~EmbeddingBatcher();
  EmbeddingBatcher(const EmbeddingBatcher &) = delete;
  EmbeddingBatcher &operator=(const EmbeddingBatcher &) = delete;

  int64_t dimensions() const;
  /// For any thread. Throws ApiError where the model cannot read the text, or
  /// not all of it and it may not be cut.
  Encoding encode(const TextOrIds &text, bool truncate,
                  const Look &look = {}) const;
  /// Throws ApiError where too many wait already, or after stop().
  EmbeddingJob::Pointer submit(std::vector<Encoding> texts,
                               Clock::time_point deadline,
                               std::function<bool()> isGone);
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0; // requests
    size_t texts = 0, tokens = 0, batches = 0;
  };
  Numbers numbers() const;

private:
  struct Item {
    EmbeddingJob::Pointer job;
    size_t text;
  };

  TextCall call;
  JobQueue<EmbeddingJob::Pointer> queue;
  Numbers known;
  std::thread thread;

  void work();
  std::vector<Item> gather();
  void run(std::span<const Item> items);
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_EMBEDDINGBATCHER_H
