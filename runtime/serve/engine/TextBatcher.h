// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the texts of all clients together, for embeddings or scores: one call
// for about a thousand tokens costs less than one call for each text. Requests
// take turns, so that a long one does not delay the others.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/serve/engine/JobQueue.h"
#include "runtime/serve/engine/TextJob.h"
#include "runtime/tasks/text/TextCall.h"

#include <thread>
#include <vector>

namespace transfold::runtime::serve {

/// The batcher, with a thread of its own.
class TextBatcher : NonCopyable {
public:
  /// For the program's task `kind`. The session must not be used by others.
  /// Throws Error if the program has no such task. `mostWaiting` limits the
  /// queue.
  TextBatcher(Session &session, const char *kind, size_t mostWaiting);
  ~TextBatcher();

  const Task &task() const { return call.task(); }
  /// Throws Error if the model's tokenizer does not combine two texts.
  void checkPairs() const { call.checkPairs(); }
  /// Number of values for a text.
  int64_t dimensions() const;
  /// Tokenizes a text; may be called by any thread. Throws ApiError if the
  /// model cannot read the text, or cannot read all of it and `truncate` is
  /// false.
  Encoding encode(const TextOrIds &text, bool truncate,
                  const Look &look = {}) const;
  /// The same for a query and a document, which the model reads together.
  Encoding encodePair(const std::string &query, const std::string &document,
                      bool truncate, const Look &look = {}) const;
  /// Queues a request. Throws ApiError if the queue is full, or after stop().
  TextJob::Pointer submit(std::vector<Encoding> texts,
                          Clock::time_point deadline,
                          std::function<bool()> isDisconnected);
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0; // requests in the queue
    size_t texts = 0, tokens = 0, batches = 0;
  };
  Numbers numbers() const { return queue.withWaiting(known); }

private:
  /// One text of a job.
  struct Item {
    TextJob::Pointer job;
    size_t text;
  };

  TextCall call;
  JobQueue<TextJob::Pointer> queue;
  Numbers known;
  std::thread thread;

  /// The function of the thread.
  void work();
  std::vector<Item> gather();
  /// Runs texts in one call, and finishes the jobs that are complete.
  void run(std::span<const Item> items);
};

} // namespace transfold::runtime::serve
