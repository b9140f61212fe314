// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routes /v1/chat/completions and /v1/completions.

#ifndef TRANSFOLD_RUNTIME_SERVE_COMPLETIONS_H
#define TRANSFOLD_RUNTIME_SERVE_COMPLETIONS_H

#include "runtime/serve/Http.h"
#include "runtime/serve/Replies.h"
#include "runtime/serve/RequestLog.h"
#include "runtime/serve/Requests.h"
#include "runtime/serve/Scheduler.h"
#include "runtime/serve/WorkBudget.h"
#include "runtime/tasks/ChatPrompts.h"
#include "runtime/tasks/Completion.h"

#include <optional>
#include <random>

namespace transfold::runtime::serve {

class Completions {
public:
  struct Options {
    std::string model;
    Scheduler::Limits limits;
    int64_t context = INT32_MAX; // tokens; the model's limit may be lower
    std::chrono::seconds deadline{600};
  };
  /// Throws Error where the program does not go on with texts.
  Completions(const LoadedProgram &program, ThreadPool &pool, Options options);

  bool canChat() const { return chat.has_value(); }
  /// Tokens of a prompt and its answer.
  int64_t context() const { return steps.capacity(); }
  /// As the function of that name.
  std::string whyFewer() const { return runtime::whyFewer(steps); }
  Scheduler::Numbers numbers() const { return scheduler.numbers(); }
  void stop() { scheduler.stop(); }

  /// For any thread. A conversation needs canChat(). Throws ApiError.
  /// What `share` stands for it gives back when the model has the request.
  HttpReply answer(CompletionRequest request,
                   const std::function<bool()> &isGone, RequestLogPointer log,
                   RequestWatch &watch, WorkBudget::Share &share);

private:
  Options options;
  Session session;
  Generator generator;
  SamplingOptions usual; // where a request does not say how tokens are drawn
  std::optional<ChatPrompts> chat;
  std::optional<Tokenizer> ownTokenizer; // where prompts of chats have none
  const Tokenizer &tokenizer;
  Steps &steps; // of the scheduler
  Scheduler scheduler;
  std::mutex randomMutex;
  std::mt19937_64 random{std::random_device()()};

  uint64_t drawNumber();
  /// Throws ApiError, also where nobody waits any more.
  std::vector<int32_t> promptOf(const CompletionRequest &request,
                                RequestWatch &watch) const;
  CompletionJob jobOf(const CompletionRequest &request, RequestWatch &watch);
  HttpReply wholeAnswer(const ReplyHead &head, AnswerStream &stream,
                        const std::function<bool()> &isGone,
                        RequestLog &log) const;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_COMPLETIONS_H
