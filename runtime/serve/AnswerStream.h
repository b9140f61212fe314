// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An answer on its way from the thread that makes it to the one that sends it.
// Little waits in it: who makes the answer pauses where it is full.

#ifndef TRANSFOLD_RUNTIME_SERVE_ANSWERSTREAM_H
#define TRANSFOLD_RUNTIME_SERVE_ANSWERSTREAM_H

#include "runtime/serve/ApiError.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

using Clock = std::chrono::steady_clock;

struct TokenScore {
  int32_t token;
  /// What it adds to the text, maybe a part of a character; or what it is
  /// called, where it is a special token, which adds nothing.
  std::string bytes;
  bool isText;
  double logProbability;
};
struct ScoredToken : TokenScore {
  size_t offset; // characters of the answer before it
  /// The likeliest in its place, and itself.
  std::vector<TokenScore> top;
};
/// What is new of an answer.
struct Piece {
  std::string text;
  std::vector<ScoredToken> tokens; // where scores were asked for

  bool isEmpty() const { return text.empty() && tokens.empty(); }
};

/// Tokens.
struct Usage {
  size_t prompt = 0, reused = 0, made = 0;
};
struct AnswerEnd {
  /// A token or a text that ends answers, or as many tokens as there may be.
  enum class Reason { Stop, Length } reason = Reason::Stop;
  std::optional<ApiError> error; // then there is no reason
  Usage usage;
};

class AnswerStream {
public:
  // Of who makes the answer.
  void push(Piece piece);
  /// Nothing follows. The first end counts.
  void finish(AnswerEnd end);
  void fail(const ApiError &error, const Usage &usage = {}) {
    finish({AnswerEnd::Reason::Stop, error, usage});
  }
  bool isFull() const;
  bool isCancelled() const;

  // Of who sends it.
  /// Waits for something new, no longer than that; all of it as one piece.
  Piece take(std::chrono::milliseconds most);
  /// Whether all was taken; then end() says how it ended.
  bool isOver() const;
  AnswerEnd end() const;
  /// Nobody wants the rest.
  void cancel();

private:
  mutable std::mutex mutex;
  std::condition_variable isNew;
  Piece waiting;
  std::optional<AnswerEnd> ended;
  bool cancelled = false;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_ANSWERSTREAM_H
