// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the routes /v1/chat/completions and /v1/completions.

#ifndef TRANSFOLD_RUNTIME_SERVE_COMPLETIONS_H
#define TRANSFOLD_RUNTIME_SERVE_COMPLETIONS_H

#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/serve/engine/Scheduler.h"
#include "runtime/serve/http/Http.h"
#include "runtime/serve/watch/RequestLog.h"
#include "runtime/serve/watch/WorkBudget.h"
#include "runtime/tasks/generate/ChatPrompts.h"
#include "runtime/tasks/generate/Completion.h"

#include <optional>
#include <random>

namespace transfold::runtime::serve {

/// Serves the completions of one program; its public functions are thread-safe.
class Completions {
public:
  struct Options {
    std::string model;
    Scheduler::Limits limits;
    int64_t context = INT32_MAX; // tokens; the model's limit may be lower
    std::chrono::seconds deadline{600};
  };
  /// Throws Error if the program does not generate text.
  Completions(const LoadedProgram &program, ThreadPool &pool, Options options);

  bool canChat() const { return chat.has_value(); }
  /// Maximum number of tokens of a prompt and its answer together.
  int64_t context() const { return steps.capacity(); }
  /// Why the context is smaller than requested (tasks/generate/Completion.h).
  std::string whyFewer() const { return runtime::whyFewer(steps); }
  Scheduler::Numbers numbers() const { return scheduler.numbers(); }
  void stop() { scheduler.stop(); }

  /// Answers one request; may be called by any thread. A conversation requires
  /// canChat(). Returns `share` to the budget as soon as the scheduler has the
  /// request. Throws ApiError.
  HttpReply answer(CompletionRequest request,
                   const std::function<bool()> &isDisconnected,
                   RequestLogPointer log, RequestWatch &watch,
                   WorkBudget::Share &share);

private:
  Options options;
  Session session;
  Generator generator;
  SamplingOptions usual; // defaults for options that a request does not set
  std::optional<ChatPrompts> chat;
  std::optional<Tokenizer> ownTokenizer; // if there is no chat template
  const Tokenizer &tokenizer;
  Steps &steps; // owned by the scheduler's thread
  Scheduler scheduler;
  std::mutex randomMutex;
  std::mt19937_64 random{std::random_device()()};

  uint64_t drawNumber();
  /// Throws ApiError, also if the client no longer waits.
  std::vector<int32_t> promptOf(const CompletionRequest &request,
                                RequestWatch &watch) const;
  CompletionJob jobOf(const CompletionRequest &request, RequestWatch &watch);
  HttpReply wholeAnswer(const ReplyHead &head, AnswerStream &stream,
                        const std::function<bool()> &isDisconnected,
                        RequestLog &log) const;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_COMPLETIONS_H
