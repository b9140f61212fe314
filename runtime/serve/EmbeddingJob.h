// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of a request on their way from the thread of its connection to the
// one that computes, and back as vectors.

#ifndef TRANSFOLD_RUNTIME_SERVE_EMBEDDINGJOB_H
#define TRANSFOLD_RUNTIME_SERVE_EMBEDDINGJOB_H

#include "runtime/serve/WaitingJob.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

class EmbeddingJob : public WaitingJob {
public:
  using Pointer = std::shared_ptr<EmbeddingJob>;

  EmbeddingJob(std::vector<Encoding> texts, Clock::time_point deadline,
               std::function<bool()> isGone)
      : WaitingJob(deadline, std::move(isGone)), texts(std::move(texts)),
        vectors(this->texts.size()), open(this->texts.size()) {}

  // Of who asks.
  /// Waits for the end, which comes: at the latest when the server stops.
  void wait();
  const std::vector<std::vector<float>> &results() const { return vectors; }

  // Of who computes.
  const Encoding &text(size_t index) const { return texts[index]; }
  /// The text that comes next.
  size_t take() { return next++; }
  bool hasMore() const { return next < texts.size(); }
  /// Returns whether that was the last text.
  bool put(size_t text, std::span<const float> vector);
  /// Tells those who wait that their last text is done. Only the first is
  /// woken here, and each wakes the next: the thread that computes goes on,
  /// and they do not all come between it and its processor at the same time.
  static void finish(std::vector<Pointer> jobs);

private:
  std::vector<Encoding> texts;
  std::vector<std::vector<float>> vectors;
  size_t next = 0, open;       // texts, of the thread that computes
  std::vector<Pointer> others; // which are done, too
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_EMBEDDINGJOB_H
