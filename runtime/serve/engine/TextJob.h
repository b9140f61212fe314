// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of a request in transit from the thread of its connection to the
// computing thread, and back as vectors.

#pragma once

#include "runtime/serve/engine/WaitingJob.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

/// One request for embeddings or scores.
class TextJob : public WaitingJob {
public:
  using Pointer = std::shared_ptr<TextJob>;

  TextJob(std::vector<Encoding> texts, Clock::time_point deadline,
          std::function<bool()> isDisconnected)
      : WaitingJob(deadline, std::move(isDisconnected)),
        texts(std::move(texts)), vectors(this->texts.size()),
        open(this->texts.size()) {}

  // For the requesting thread.
  /// Waits until the job has finished or failed; that happens at the latest
  /// when the server stops.
  void wait();
  const std::vector<std::vector<float>> &results() const { return vectors; }

  // For the computing thread.
  const Encoding &text(size_t index) const { return texts[index]; }
  /// The index of the next text.
  size_t take() { return next++; }
  bool hasMore() const { return next < texts.size(); }
  /// Stores the vector of a text. Returns whether it was the last one.
  bool put(size_t text, std::span<const float> vector);
  /// Marks the jobs as done and wakes the first requesting thread only; each
  /// wakes the next one. Thus the computing thread continues, and the woken
  /// threads do not all compete with it for processors at the same time.
  static void finish(std::vector<Pointer> jobs);

private:
  std::vector<Encoding> texts;
  std::vector<std::vector<float>> vectors;
  /// Numbers of texts; used by the computing thread.
  size_t next = 0, open;
  std::vector<Pointer> others; // jobs that are done as well
};

} // namespace transfold::runtime::serve
