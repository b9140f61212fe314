// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mutex and a condition variable around the output that was not taken yet.

#include "runtime/serve/api/AnswerStream.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Limits for isFull(); one more piece may exceed them.
constexpr size_t mostWaitingBytes = 64 << 10, mostWaitingTokens = 1024;

} // namespace

void AnswerStream::push(Piece piece) {
  if (piece.isEmpty())
    return;
  std::lock_guard lock(signal->mutex);
  waiting.text += piece.text;
  std::ranges::move(piece.tokens, std::back_inserter(waiting.tokens));
  signal->isNew.notify_one();
}

void AnswerStream::finish(AnswerEnd end) {
  std::lock_guard lock(signal->mutex);
  if (!ended)
    ended = std::move(end);
  signal->isNew.notify_one();
}

bool AnswerStream::isFull() const {
  std::lock_guard lock(signal->mutex);
  return waiting.text.size() > mostWaitingBytes ||
         waiting.tokens.size() > mostWaitingTokens;
}

bool AnswerStream::isCancelled() const {
  std::lock_guard lock(signal->mutex);
  return cancelled;
}

Piece AnswerStream::take(std::chrono::milliseconds most) {
  std::unique_lock lock(signal->mutex);
  signal->isNew.wait_for(
      lock, most, [this] { return ended.has_value() || !waiting.isEmpty(); });
  return std::exchange(waiting, {});
}

bool AnswerStream::isOver() const {
  std::lock_guard lock(signal->mutex);
  return ended && waiting.isEmpty();
}

AnswerEnd AnswerStream::end() const {
  std::lock_guard lock(signal->mutex);
  return ended.value_or(AnswerEnd());
}

void AnswerStream::cancel() {
  std::lock_guard lock(signal->mutex);
  cancelled = true;
}

AnswerStreams::AnswerStreams(size_t count) {
  auto signal = std::make_shared<AnswerStream::Signal>();
  for (size_t i = 0; i < count; ++i)
    streams.push_back(std::shared_ptr<AnswerStream>(new AnswerStream(signal)));
}

bool AnswerStreams::isNew(const AnswerStream &stream) const {
  return !stream.waiting.isEmpty() || (stream.ended && !stream.isEndTaken);
}

std::vector<AnswerStreams::News>
AnswerStreams::take(std::chrono::milliseconds most) {
  AnswerStream::Signal &signal = *streams.front()->signal;
  std::unique_lock lock(signal.mutex);
  signal.isNew.wait_for(lock, most, [this] {
    return std::ranges::any_of(
        streams, [this](const auto &stream) { return isNew(*stream); });
  });
  std::vector<News> all;
  for (size_t i = 0; i < size(); ++i) {
    AnswerStream &stream = *streams[i];
    if (!isNew(stream))
      continue;
    stream.isEndTaken = stream.ended.has_value();
    all.push_back({i, std::exchange(stream.waiting, {}), stream.ended});
  }
  return all;
}

bool AnswerStreams::areOver() const {
  std::lock_guard lock(streams.front()->signal->mutex);
  return std::ranges::all_of(streams, [](const auto &stream) {
    return stream->isEndTaken && stream->waiting.isEmpty();
  });
}

void AnswerStreams::cancel() {
  for (const auto &stream : streams)
    stream->cancel();
}

} // namespace transfold::runtime::serve
