// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of all clients, turned into vectors together: a call for about a
// thousand tokens costs less than one for each text. Requests take turns, so
// that a long one does not keep the others waiting.

#ifndef TRANSFOLD_RUNTIME_SERVE_EMBEDDINGBATCHER_H
#define TRANSFOLD_RUNTIME_SERVE_EMBEDDINGBATCHER_H

#include "runtime/serve/AnswerStream.h"
#include "runtime/serve/JobQueue.h"
#include "runtime/serve/Requests.h"
#include "runtime/tasks/TextCall.h"

#include <memory>
#include <thread>
#include <vector>

namespace transfold::runtime::serve {

/// The texts of a request, and what becomes of them.
class EmbeddingJob {
public:
  EmbeddingJob(std::vector<Encoding> texts, Clock::time_point deadline)
      : vectors(texts.size()), deadline(deadline), texts(std::move(texts)),
        open(this->texts.size()) {}

  /// Waits for the end, no longer than that; whether it has come.
  bool wait(std::chrono::milliseconds most);
  /// Nobody wants the rest.
  void cancel();
  /// At the end: why there are no vectors.
  const std::optional<ApiError> &error() const { return problem; }
  std::vector<std::vector<float>> vectors;

private:
  friend class EmbeddingBatcher;

  Clock::time_point deadline;
  std::vector<Encoding> texts;
  size_t next = 0; // text, of the batcher's thread
  std::mutex mutex;
  std::condition_variable isDone;
  size_t open;
  bool cancelled = false;
  std::optional<ApiError> problem;

  bool isUnwanted();
  void put(size_t text, std::span<const float> vector);
  void fail(const ApiError &error);
};

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
  Encoding encode(const TextOrIds &text, bool truncate) const;
  /// Throws ApiError where too many wait already, or after stop().
  std::shared_ptr<EmbeddingJob> submit(std::vector<Encoding> texts,
                                       Clock::time_point deadline);
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0; // requests
    size_t texts = 0, tokens = 0, batches = 0;
  };
  Numbers numbers() const;

private:
  struct Item {
    std::shared_ptr<EmbeddingJob> job;
    size_t text;
  };

  TextCall call;
  JobQueue<std::shared_ptr<EmbeddingJob>> queue;
  Numbers known;
  std::thread thread;

  void work();
  std::vector<Item> gather();
  void run(std::span<const Item> items);
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_EMBEDDINGBATCHER_H
