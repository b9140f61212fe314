// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An answer in transit from the thread that generates it to the one that sends
// it. The buffer is small: generation pauses while it is full.

#pragma once

#include "runtime/serve/api/ApiError.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

using Clock = std::chrono::steady_clock;

/// A token of an answer with its log probability.
struct TokenScore {
  int32_t token;
  /// The bytes that the token adds to the text, possibly a part of a character;
  /// for a special token, which adds nothing, its name.
  std::string bytes;
  bool isText;
  double logProbability;
};
/// A token of an answer with its alternatives.
struct ScoredToken : TokenScore {
  size_t offset; // characters of the answer before it
  /// The most likely tokens in its place, and the token itself.
  std::vector<TokenScore> top;
};
/// The next part of an answer.
struct Piece {
  std::string text;
  std::vector<ScoredToken> tokens; // if log probabilities were requested

  bool isEmpty() const { return text.empty() && tokens.empty(); }
};

/// Numbers of tokens.
struct Usage {
  size_t prompt = 0, reused = 0, made = 0;
  size_t cut = 0; // of the prompt, which were left out
};
/// How an answer ended.
struct AnswerEnd {
  /// Stop: an end token or a stop text; Length: the maximum number of tokens.
  enum class Reason { Stop, Length } reason = Reason::Stop;
  std::optional<ApiError> error; // if set, `reason` has no meaning
  Usage usage;
};

/// The buffer of one answer. Safe to use from two threads.
class AnswerStream {
public:
  AnswerStream() : signal(std::make_shared<Signal>()) {}

  // For the generating thread.
  /// Appends output, even if the buffer is full: the generating thread checks
  /// isFull() before it runs a step.
  void push(Piece piece);
  /// Ends the answer. If called more than once, the first call counts.
  void finish(AnswerEnd end);
  void fail(const ApiError &error, const Usage &usage = {}) {
    finish({AnswerEnd::Reason::Stop, error, usage});
  }
  bool isFull() const;
  bool isCancelled() const;

  // For the sending thread.
  /// Waits at most `most` for new output, and returns all of it as one piece.
  Piece take(std::chrono::milliseconds most);
  /// Whether the answer has ended and everything was taken; end() is valid
  /// then.
  bool isOver() const;
  AnswerEnd end() const;
  /// Called if the client no longer waits for the rest.
  void cancel();

private:
  friend class AnswerStreams;
  /// Guards the members below. The answers of one request share it, so that one
  /// thread can wait for all of them.
  struct Signal {
    std::mutex mutex;
    std::condition_variable isNew;
  };
  explicit AnswerStream(std::shared_ptr<Signal> signal)
      : signal(std::move(signal)) {}

  std::shared_ptr<Signal> signal;
  Piece waiting;
  std::optional<AnswerEnd> ended;
  bool isEndTaken = false; // by AnswerStreams
  bool cancelled = false;
};

/// The buffers of all answers of one request.
class AnswerStreams {
public:
  /// `count` is at least 1.
  explicit AnswerStreams(size_t count);

  size_t size() const { return streams.size(); }
  const std::shared_ptr<AnswerStream> &operator[](size_t i) const {
    return streams[i];
  }

  /// New output of one answer, and its end with the last output.
  struct News {
    size_t answer;
    Piece piece;
    std::optional<AnswerEnd> end;
  };
  /// Waits at most `most` for new output of any answer, and returns all of it.
  std::vector<News> take(std::chrono::milliseconds most);
  /// Whether all answers have ended and everything was taken.
  bool areOver() const;
  void cancel();

private:
  std::vector<std::shared_ptr<AnswerStream>> streams;

  bool isNew(const AnswerStream &stream) const;
};

} // namespace transfold::runtime::serve
