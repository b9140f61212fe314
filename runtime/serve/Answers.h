// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers to a request while they are generated: passes them on, as a whole
// or as a stream.

#pragma once

#include "runtime/serve/api/Replies.h"
#include "runtime/serve/http/Http.h"
#include "runtime/serve/watch/RequestLog.h"

#include <functional>
#include <vector>

namespace transfold::runtime::serve {

/// The answers to one request.
struct RunningAnswers {
  ReplyHead head;
  AnswerStreams streams;
  size_t answersOfPrompt = 1;
  bool withUsage = false; // at the end of a stream
  /// For each answer what reads its thoughts and calls; empty if it can have
  /// neither.
  std::vector<AnswerReader> readers;
  RequestLogPointer log;

  /// The parts of an answer that are certain with the next piece of its text;
  /// `isLast`: no more text follows.
  std::vector<AnswerPart> partsOf(size_t answer, const std::string &text,
                                  bool isLast);
  bool hasCalls(size_t answer) const {
    return !readers.empty() && readers[answer].calls() > 0;
  }
};

/// Answers as a stream of server-sent events.
HttpReply streamedReply(RunningAnswers answers);
/// Waits for the whole answers. Throws ApiError, also if the client
/// disconnects.
HttpReply wholeReply(RunningAnswers answers,
                     const std::function<bool()> &isDisconnected);

} // namespace transfold::runtime::serve
