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
  // For answers with a constraint, without and with the tokens of calls.
  LazyTokenIndex tokenIndex, callTokenIndex;
  Steps &steps; // owned by the scheduler's thread
  Scheduler scheduler;
  std::mutex randomMutex;
  std::mt19937_64 random{std::random_device()()};

  /// Answers one request. A conversation requires canChat(). Returns the
  /// request's share of the budget as soon as the scheduler has the request.
  HttpReply answer(CompletionRequest request, Exchange &exchange);
  uint64_t drawNumber();
  /// The forms of the answers to a request.
  struct Forms {
    /// How the model writes calls; null if the request has no functions.
    std::shared_ptr<const chat::CallSyntax> calls;
    AnswerForms read; // what is read from the answers
  };
  /// The ids of a prompt, and whether it begins a thought.
  struct Prompt {
    std::vector<int32_t> ids;
    bool isThinking = false;
  };
  /// The request's prompt with this index; conversations have one. Throws
  /// ApiError, also if the client no longer waits.
  Prompt promptOf(const CompletionRequest &request, size_t index,
                  const Forms &forms, RequestWatch &watch) const;
  /// The forms of the answers. Writes the arguments of calls in messages as the
  /// template expects them. Throws ApiError.
  Forms prepareForms(CompletionRequest &request) const;
  /// Sets what the answer follows. Throws ApiError.
  void constrain(const CompletionRequest &request, const Forms &forms,
                 CompletionJob &job);
  /// What reads each answer; empty if there is only text.
  static std::vector<AnswerReader>
  readersOf(const Forms &forms, std::span<const CompletionJob> jobs);
  /// What all answers to a prompt have in common. Throws ApiError.
  CompletionJob jobOf(const CompletionRequest &request, const Forms &forms,
                      Prompt prompt);
  /// The jobs for the scheduler: the answers to the first prompt, those to the
  /// second, …. Throws ApiError.
  std::vector<CompletionJob> jobsOf(const CompletionRequest &request,
                                    const Forms &forms, RequestWatch &watch);
  /// Passes the jobs to the scheduler: all of them, or none. Throws ApiError.
  AnswerStreams submit(std::vector<CompletionJob> jobs,
                       std::span<const std::string> beginnings);
  /// The texts that the answers begin with; empty if they begin with nothing.
  std::vector<std::string>
  beginningsOf(const CompletionRequest &request,
               std::span<const CompletionJob> jobs) const;
};

} // namespace transfold::runtime::serve
