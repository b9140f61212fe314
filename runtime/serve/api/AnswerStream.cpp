// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mutex and a condition variable around the output that was not taken yet.

#include "runtime/serve/api/AnswerStream.h"

#include <iterator>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Limits for isFull(); one more piece may exceed them.
constexpr size_t mostBytes = 64 << 10, mostTokens = 1024;

} // namespace

void AnswerStream::push(Piece piece) {
  if (piece.isEmpty())
    return;
  std::lock_guard lock(mutex);
  waiting.text += piece.text;
  std::ranges::move(piece.tokens, std::back_inserter(waiting.tokens));
  isNew.notify_one();
}

void AnswerStream::finish(AnswerEnd end) {
  std::lock_guard lock(mutex);
  if (!ended)
    ended = std::move(end);
  isNew.notify_one();
}

bool AnswerStream::isFull() const {
  std::lock_guard lock(mutex);
  return waiting.text.size() > mostBytes || waiting.tokens.size() > mostTokens;
}

bool AnswerStream::isCancelled() const {
  std::lock_guard lock(mutex);
  return cancelled;
}

Piece AnswerStream::take(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex);
  isNew.wait_for(lock, most,
                 [this] { return ended.has_value() || !waiting.isEmpty(); });
  return std::exchange(waiting, {});
}

bool AnswerStream::isOver() const {
  std::lock_guard lock(mutex);
  return ended && waiting.isEmpty();
}

AnswerEnd AnswerStream::end() const {
  std::lock_guard lock(mutex);
  return ended.value_or(AnswerEnd());
}

void AnswerStream::cancel() {
  std::lock_guard lock(mutex);
  cancelled = true;
}

} // namespace transfold::runtime::serve
