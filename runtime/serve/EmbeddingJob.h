// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of a request on their way from the thread of its connection to the
// one that computes, and back as vectors. Nothing is looked at from time to
// time: with many clients their threads would take the processors from the
// model to find that there is nothing yet.

#ifndef TRANSFOLD_RUNTIME_SERVE_EMBEDDINGJOB_H
#define TRANSFOLD_RUNTIME_SERVE_EMBEDDINGJOB_H

#include "runtime/serve/AnswerStream.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

class EmbeddingJob {
public:
  using Pointer = std::shared_ptr<EmbeddingJob>;

  /// `isGone` says whether the client is still there; it may be empty.
  EmbeddingJob(std::vector<Encoding> texts, Clock::time_point deadline,
               std::function<bool()> isGone)
      : texts(std::move(texts)), vectors(this->texts.size()),
        deadline(deadline), isGone(std::move(isGone)),
        open(this->texts.size()) {}

  // Of who asks.
  /// Waits for the end, which comes: at the latest when the server stops.
  void wait();
  /// At the end: why there are no vectors.
  const std::optional<ApiError> &error() const { return problem; }
  const std::vector<std::vector<float>> &results() const { return vectors; }

  // Of who computes.
  const Encoding &text(size_t index) const { return texts[index]; }
  /// The text that comes next.
  size_t take() { return next++; }
  bool hasMore() const { return next < texts.size(); }
  /// Whether nobody wants the rest: then the request has ended.
  bool isUnwanted();
  /// Returns whether that was the last text.
  bool put(size_t text, std::span<const float> vector);
  void fail(const ApiError &error);
  /// Tells those who wait that their last text is done. Only the first is
  /// woken here, and each wakes the next: the thread that computes goes on,
  /// and they do not all come between it and its processor at the same time.
  static void finish(std::vector<Pointer> jobs);

private:
  std::vector<Encoding> texts;
  std::vector<std::vector<float>> vectors;
  Clock::time_point deadline;
  std::function<bool()> isGone;
  size_t next = 0, open; // texts, of the thread that computes

  std::mutex mutex;
  std::condition_variable isNew;
  bool isDone = false;
  std::optional<ApiError> problem;
  std::vector<Pointer> others; // which are done, too
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_EMBEDDINGJOB_H
