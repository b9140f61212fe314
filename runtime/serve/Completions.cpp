// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares a completion on the thread of its request (prompt, options, room),
// hands it to the scheduler, and passes its output on, as a whole or as a
// stream.

#include "runtime/serve/Completions.h"

#include "base/Error.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/serve/Answers.h"
#include "runtime/serve/Endpoints.h"
#include "runtime/steps/sampling/UsualSampling.h"
#include "runtime/tasks/generate/Completion.h"
#include "runtime/tasks/text/TextCall.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// The chat template of the program, if it has one.
std::optional<ChatPrompts> chatOf(const LoadedProgram &program) {
  checkTokenizer(program, "texts cannot be served");
  program.weights(); // the system reads them while the tokenizer is created
  if (program.chatTemplate().empty())
    return std::nullopt;
  return std::optional<ChatPrompts>(std::in_place, program);
}

/// The error for a prompt that does not fit into the context.
ApiError noRoom(const std::string &what, int64_t context, const char *field) {
  return {
      400,
      fmt::format("The prompt {}, but there is room for {} with its answer.",
                  what, context),
      field, "context_length_exceeded"};
}

/// Leaves out tokens of a prompt, so that `room` remain; returns how many. The
/// first token stays: a model may need the special token that begins each text.
size_t cutTo(std::vector<int32_t> &prompt, size_t room,
             CompletionRequest::Cut cut) {
  if (cut == CompletionRequest::Cut::None || prompt.size() <= room)
    return 0;
  const size_t gone = prompt.size() - room;
  const size_t first = cut == CompletionRequest::Cut::End      ? room
                       : cut == CompletionRequest::Cut::Middle ? (room + 1) / 2
                                                               : 1;
  const auto begin = prompt.begin() + static_cast<ptrdiff_t>(first);
  prompt.erase(begin, begin + static_cast<ptrdiff_t>(gone));
  return gone;
}

/// Tokens of a prompt that leave room for the answer: as many as the request
/// asks for, but at most half of the context; a quarter if it does not say.
int64_t roomOfPrompt(const CompletionRequest &request, int64_t context) {
  const int64_t answer =
      request.most ? std::min(request.most, context / 2) : context / 4;
  return std::max<int64_t>(context - answer, 1);
}

} // namespace

Completions::Completions(const ServedProgram &served)
    : options(served.options), session(served.program, served.pool),
      generator(session), usual(usualSampling(generator.task())),
      chat(chatOf(served.program)),
      tokenizer(chat ? chat->tokens()
                     : ownTokenizer.emplace(served.program.tokenizerTables())),
      steps(makeStepsOfPrompts(generator, options.context, "is not served yet",
                               static_cast<int64_t>(options.parallel))),
      scheduler(steps, tokenizer, {options.parallel, options.waiting}) {}

uint64_t Completions::drawNumber() {
  std::lock_guard lock(randomMutex);
  return random();
}

Completions::Prompt Completions::promptOf(const CompletionRequest &request,
                                          size_t index, const Forms &forms,
                                          RequestWatch &watch) const {
  const char *field = request.isChat ? "messages" : "prompt";
  auto isCancelledOrExpired = [&] {
    watch.look();
    return false;
  };
  // A prompt that will be cut is needed as a whole.
  const bool isCut = request.cut != CompletionRequest::Cut::None;
  const TokenizerEffort effort{isCut ? Tokenizer::unlimited
                                     : static_cast<size_t>(context()),
                               !isCut, watch.looks()};
  try {
    if (request.isChat)
      chat->checkVariables(request.conversation.variables);
  } catch (const Error &error) {
    throw badRequest(error.what(), "chat_template_kwargs");
  }
  try {
    if (request.isChat) {
      const chat::Text text =
          chat->text(request.conversation, isCancelledOrExpired);
      const auto &thoughts = forms.read.thoughts;
      return {chat->ids(text, generator.knownTokens(), effort),
              thoughts && thoughts->isBegunBy(text.view())};
    }
    const TextOrIds &prompt = request.prompts[index];
    if (const auto *ids = std::get_if<std::vector<int32_t>>(&prompt)) {
      checkTokens(*ids, generator.knownTokens());
      return {*ids};
    }
    std::vector<int32_t> ids = tokenizer
                                   .encode(std::get<std::string>(prompt),
                                           Tokenizer::unlimited, {}, effort)
                                   .ids;
    checkTokens(ids, generator.knownTokens(), "the ids of the tokenizer");
    return {std::move(ids)};
  } catch (const TooManyTokens &error) {
    throw noRoom(error.what(), context(), field);
  } catch (const Error &
               error) { // also of the template, which may refuse a conversation
    throw badRequest(error.what(), field);
  }
}

CompletionJob Completions::jobOf(const CompletionRequest &request,
                                 const Forms &forms, Prompt prompt) {
  CompletionJob job;
  job.prompt = std::move(prompt.ids);
  job.isThinking = prompt.isThinking;
  job.cut =
      cutTo(job.prompt, static_cast<size_t>(roomOfPrompt(request, context())),
            request.cut);
  const char *field = request.isChat ? "messages" : "prompt";
  if (job.prompt.empty())
    throw badRequest("The prompt has no tokens.", field);
  int64_t left = context() - static_cast<int64_t>(job.prompt.size());
  if (left < 1)
    throw noRoom(fmt::format("has {} tokens", job.prompt.size()), context(),
                 field);
  job.most = request.most ? std::min(request.most, left) : left;
  GenerationOptions generation;
  generation.sampling = request.sampling.over(usual);
  generation.ignoreEnd = request.ignoreEnd;
  job.ends = generator.ends(generation);
  if (request.isChat && !request.ignoreEnd)
    chat->addEnd(job.ends);
  job.sampling = generator.sampling(generation);
  constrain(request, forms, job);
  job.sampling.isScored = request.isScored;
  job.stops = request.stops;
  job.isScored = request.isScored;
  job.topScores = request.topScores;
  return job;
}

std::vector<CompletionJob> Completions::jobsOf(const CompletionRequest &request,
                                               const Forms &forms,
                                               RequestWatch &watch) {
  const size_t prompts = request.isChat ? 1 : request.prompts.size();
  const size_t most = options.parallel + options.waiting;
  if (prompts * request.answers > most)
    throw badRequest(
        fmt::format("The request asks for {} answers; this server computes and "
                    "queues at most {}.",
                    prompts * request.answers, most),
        request.answers > 1 ? "n" : "prompt");
  for (const TokenBias &each : request.sampling.biases)
    if (each.token >= generator.vocabulary())
      throw badRequest(
          fmt::format("'logit_bias': there is no token {}.", each.token),
          "logit_bias");
  std::vector<CompletionJob> jobs;
  for (size_t prompt = 0; prompt < prompts; ++prompt) {
    CompletionJob job =
        jobOf(request, forms, promptOf(request, prompt, forms, watch));
    job.deadline = watch.deadline;
    // Each answer to a prompt has a seed of its own.
    uint64_t seed = request.sampling.seed ? job.sampling.seed : drawNumber();
    for (size_t answer = 0; answer < request.answers; ++answer) {
      job.sampling.seed = seed + answer;
      jobs.push_back(job);
    }
  }
  return jobs;
}

std::vector<std::string>
Completions::beginningsOf(const CompletionRequest &request,
                          std::span<const CompletionJob> jobs) const {
  std::vector<std::string> texts;
  for (size_t i = 0; request.echo && i < jobs.size(); ++i) {
    const TextOrIds &prompt = request.prompts[i / request.answers];
    const auto *text = std::get_if<std::string>(&prompt);
    texts.push_back(text ? *text : tokenizer.decode(jobs[i].prompt));
  }
  return texts;
}

AnswerStreams Completions::submit(std::vector<CompletionJob> jobs,
                                  std::span<const std::string> beginnings) {
  AnswerStreams streams(jobs.size());
  try {
    for (size_t i = 0; i < jobs.size(); ++i) {
      if (!beginnings.empty())
        streams[i]->push({beginnings[i], {}});
      jobs[i].stream = streams[i];
      scheduler.submit(std::move(jobs[i]));
    }
  } catch (...) { // the queue is full: no answer is of use without the others
    streams.cancel();
    throw;
  }
  return streams;
}

HttpReply Completions::answer(CompletionRequest request, Exchange &exchange) {
  ReplyHead head{fmt::format("{}-{:016x}", request.isChat ? "chatcmpl" : "cmpl",
                             drawNumber()),
                 options.model, std::time(nullptr), request.isChat};
  const Forms forms = prepareForms(request);
  std::vector<CompletionJob> jobs = jobsOf(request, forms, exchange.watch);
  std::vector<std::string> beginnings = beginningsOf(request, jobs);
  std::vector<AnswerReader> readers = readersOf(forms, jobs);
  request.conversation = {};
  request.prompts = {};
  request.tools = {};
  exchange.share.giveBack();
  RunningAnswers answers{.head = std::move(head),
                         .streams = submit(std::move(jobs), beginnings),
                         .answersOfPrompt = request.answers,
                         .withUsage = request.streamsUsage,
                         .readers = std::move(readers),
                         .log = exchange.log};
  return request.stream
             ? streamedReply(std::move(answers))
             : wholeReply(std::move(answers), exchange.http.isDisconnected);
}

std::vector<Endpoint::Route> Completions::routes() {
  using Read = CompletionRequest (*)(std::string_view, const Look &);
  auto complete = [this](Read read) {
    return [this, read](Exchange &exchange) {
      return answer(takeRequest(exchange, read, options), exchange);
    };
  };
  std::vector<Route> all = {
      {"/v1/completions", complete(readCompletionRequest)}};
  if (canChat())
    all.push_back({"/v1/chat/completions", complete(readChatRequest)});
  return all;
}

void Completions::writeMetrics(MetricsText &text) const {
  auto real = [](size_t count) { return static_cast<double>(count); };
  Scheduler::Numbers numbers = scheduler.numbers();
  text.one("transfold_waiting_completions", "gauge", "Completions in the queue",
           real(numbers.waiting));
  text.one("transfold_running_completions", "gauge",
           "Completions that share steps", real(numbers.running));
  text.one("transfold_prompt_tokens_total", "counter", "Tokens of prompts",
           real(numbers.totals.prompt));
  text.one("transfold_reused_tokens_total", "counter",
           "Tokens of prompts that were reused from other requests",
           real(numbers.totals.reused));
  text.one("transfold_completion_tokens_total", "counter",
           "Tokens that were generated", real(numbers.totals.made));
}

std::unique_ptr<Endpoint> makeCompletions(const ServedProgram &served) {
  return std::make_unique<Completions>(served);
}

} // namespace transfold::runtime::serve
