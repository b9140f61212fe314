// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares a completion on the thread of its request (prompt, options, room),
// hands it to the scheduler, and passes its output on, as a whole or as a
// stream.

#include "runtime/serve/Completions.h"

#include "base/Error.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/serve/Endpoints.h"
#include "runtime/steps/sampling/UsualSampling.h"
#include "runtime/tasks/generate/Completion.h"
#include "runtime/tasks/text/TextCall.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Interval of the checks whether the client is still connected.
constexpr std::chrono::milliseconds pause{100};

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

/// An answer as a stream of server-sent events.
class StreamedAnswer final : public HttpBody {
public:
  StreamedAnswer(ReplyHead head, std::shared_ptr<AnswerStream> stream,
                 bool withUsage, RequestLogPointer log)
      : head(std::move(head)), stream(std::move(stream)), withUsage(withUsage),
        log(std::move(log)) {}
  ~StreamedAnswer() override {
    stream->cancel();
    if (!isSent)
      log->status = RequestLog::clientGone;
  }
  StreamedAnswer(const StreamedAnswer &) = delete;
  StreamedAnswer &operator=(const StreamedAnswer &) = delete;

  bool next(std::string &part) override {
    if (!isBegun && head.isChat)
      part += eventOf(firstPart(head));
    else if (Piece piece = stream->take(pause); !piece.isEmpty())
      part += eventOf(nextPart(head, piece));
    isBegun = true;
    if (!stream->isOver())
      return true;
    writeEnd(part);
    isSent = true;
    return false;
  }

private:
  ReplyHead head;
  std::shared_ptr<AnswerStream> stream;
  bool withUsage, isBegun = false, isSent = false;
  RequestLogPointer log;

  /// Appends the events after the last token, or an error.
  void writeEnd(std::string &part) {
    AnswerEnd end = stream->end();
    log->usage = end.usage;
    if (end.error) {
      log->status = end.error->status;
      part += eventOf(end.error->body());
      return;
    }
    part += eventOf(lastPart(head, end));
    if (withUsage)
      part += eventOf(usagePart(head, end.usage));
    part += lastEvent;
  }
};

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

std::vector<int32_t> Completions::promptOf(const CompletionRequest &request,
                                           RequestWatch &watch) const {
  const char *field = request.isChat ? "messages" : "prompt";
  auto isCancelledOrExpired = [&] {
    watch.look();
    return false;
  };
  const TokenizerEffort effort{static_cast<size_t>(context()), true,
                               watch.looks()};
  try {
    if (request.isChat)
      chat->checkVariables(request.conversation.variables);
  } catch (const Error &error) {
    throw badRequest(error.what(), "chat_template_kwargs");
  }
  try {
    if (request.isChat)
      return chat->ids(chat->text(request.conversation, isCancelledOrExpired),
                       generator.knownTokens(), effort);
    if (const auto *ids = std::get_if<std::vector<int32_t>>(&request.prompt)) {
      checkTokens(*ids, generator.knownTokens());
      return *ids;
    }
    std::vector<int32_t> ids =
        tokenizer
            .encode(std::get<std::string>(request.prompt), Tokenizer::unlimited,
                    {}, effort)
            .ids;
    checkTokens(ids, generator.knownTokens(), "the ids of the tokenizer");
    return ids;
  } catch (const TooManyTokens &error) {
    throw noRoom(error.what(), context(), field);
  } catch (const Error &
               error) { // also of the template, which may refuse a conversation
    throw badRequest(error.what(), field);
  }
}

CompletionJob Completions::jobOf(const CompletionRequest &request,
                                 RequestWatch &watch) {
  CompletionJob job;
  job.deadline = watch.deadline;
  job.prompt = promptOf(request, watch);
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
  job.sampling.isScored = request.isScored;
  if (!request.sampling.seed)
    job.sampling.seed = drawNumber();
  job.stops = request.stops;
  job.isScored = request.isScored;
  job.topScores = request.topScores;
  return job;
}

HttpReply Completions::wholeAnswer(const ReplyHead &head, AnswerStream &stream,
                                   const std::function<bool()> &isDisconnected,
                                   RequestLog &log) const {
  Piece answer;
  while (!stream.isOver()) {
    Piece piece = stream.take(pause);
    answer.text += piece.text;
    std::ranges::move(piece.tokens, std::back_inserter(answer.tokens));
    if (isDisconnected && isDisconnected()) {
      stream.cancel();
      throw ApiError(RequestLog::clientGone, "The client has disconnected.");
    }
  }
  AnswerEnd end = stream.end();
  log.usage = end.usage;
  if (end.error)
    throw ApiError(*end.error);
  HttpReply reply;
  reply.body = dump(wholeReply(head, answer, end));
  return reply;
}

HttpReply Completions::answer(CompletionRequest request, Exchange &exchange) {
  ReplyHead head{fmt::format("{}-{:016x}", request.isChat ? "chatcmpl" : "cmpl",
                             drawNumber()),
                 options.model, std::time(nullptr), request.isChat};
  CompletionJob job = jobOf(request, exchange.watch);
  request.conversation = {};
  request.prompt = {};
  exchange.share.giveBack();
  std::shared_ptr<AnswerStream> stream = job.stream;
  scheduler.submit(std::move(job));
  if (!request.stream)
    return wholeAnswer(head, *stream, exchange.http.isDisconnected,
                       *exchange.log);
  HttpReply reply;
  reply.contentType = "text/event-stream";
  reply.headers = {{"Cache-Control", "no-cache"}};
  reply.parts = std::make_shared<StreamedAnswer>(
      std::move(head), std::move(stream), request.streamsUsage, exchange.log);
  return reply;
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
