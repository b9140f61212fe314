// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the routes /v1/chat/completions and /v1/completions
// (makeCompletions() in Endpoints.h).

#pragma once

#include "runtime/constrain/TextConstraint.h"
#include "runtime/serve/Endpoint.h"
#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/serve/engine/Scheduler.h"
#include "runtime/serve/http/Http.h"
#include "runtime/tasks/generate/ChatPrompts.h"
#include "runtime/tasks/generate/Completion.h"

#include <optional>
#include <random>

namespace transfold::runtime::serve {

/// Serves the completions of one program; its public functions are thread-safe.
class Completions final : public Endpoint {
public:
  /// Throws Error if the program does not generate text.
  explicit Completions(const ServedProgram &served);

  std::vector<Route> routes() override;
  void stop() override { scheduler.stop(); }
  void writeMetrics(MetricsText &text) const override;
  std::string whyFewer() const override { return runtime::whyFewer(steps); }

  bool canChat() const { return chat.has_value(); }
  /// Maximum number of tokens of a prompt and its answer together.
  int64_t context() const { return steps.capacity(); }

private:
  EndpointOptions options;
  Session session;
  Generator generator;
  SamplingOptions usual; // defaults for options that a request does not set
  std::optional<ChatPrompts> chat;
  std::optional<Tokenizer> ownTokenizer; // if there is no chat template
  const Tokenizer &tokenizer;
  LazyTokenIndex tokenIndex; // for answers with a constraint
  Steps &steps;              // owned by the scheduler's thread
  Scheduler scheduler;
  std::mutex randomMutex;
  std::mt19937_64 random{std::random_device()()};

  /// Answers one request. A conversation requires canChat(). Returns the
  /// request's share of the budget as soon as the scheduler has the request.
  HttpReply answer(CompletionRequest request, Exchange &exchange);
  uint64_t drawNumber();
  /// The ids of the request's prompt with this index; conversations have one.
  /// Throws ApiError, also if the client no longer waits.
  std::vector<int32_t> promptOf(const CompletionRequest &request, size_t index,
                                RequestWatch &watch) const;
  /// What all answers to a prompt have in common. Throws ApiError.
  CompletionJob jobOf(const CompletionRequest &request,
                      std::vector<int32_t> prompt);
  /// The jobs for the scheduler: the answers to the first prompt, those to the
  /// second, …. Throws ApiError.
  std::vector<CompletionJob> jobsOf(const CompletionRequest &request,
                                    RequestWatch &watch);
  /// Passes the jobs to the scheduler: all of them, or none. Throws ApiError.
  AnswerStreams submit(std::vector<CompletionJob> jobs,
                       std::span<const std::string> beginnings);
  /// The texts that the answers begin with; empty if they begin with nothing.
  std::vector<std::string>
  beginningsOf(const CompletionRequest &request,
               std::span<const CompletionJob> jobs) const;
  /// Waits for the whole answers. Throws ApiError, also if the client
  /// disconnects.
  HttpReply wholeAnswer(const ReplyHead &head, AnswerStreams &streams,
                        size_t answersOfPrompt,
                        const std::function<bool()> &isDisconnected,
                        RequestLog &log) const;
};

} // namespace transfold::runtime::serve
