// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/Answers.h"

#include <chrono>
#include <iterator>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Interval of the checks whether the client is still connected.
constexpr std::chrono::milliseconds newsPause{100};

/// Adds the numbers of an answer to those of its request. A prompt counts once,
/// however many answers it has.
void addUsage(Usage &sum, const Usage &own, size_t answer,
              size_t answersOfPrompt) {
  sum.made += own.made;
  if (answer % answersOfPrompt != 0)
    return;
  sum.prompt += own.prompt;
  sum.reused += own.reused;
  sum.cut += own.cut;
}

/// Answers as a stream of server-sent events.
class StreamedAnswer final : public HttpBody {
public:
  explicit StreamedAnswer(RunningAnswers answers)
      : answers(std::move(answers)) {}
  ~StreamedAnswer() override {
    answers.streams.cancel();
    if (!isSent)
      answers.log->status = RequestLog::clientGone;
  }
  StreamedAnswer(const StreamedAnswer &) = delete;
  StreamedAnswer &operator=(const StreamedAnswer &) = delete;

  bool next(std::string &part) override {
    const ReplyHead &head = answers.head;
    if (!std::exchange(isBegun, true) && head.isChat) {
      for (size_t answer = 0; answer < answers.streams.size(); ++answer)
        part += eventOf(firstPart(head, answer));
      return true;
    }
    for (const AnswerStreams::News &news : answers.streams.take(newsPause)) {
      writePiece(part, news);
      if (news.end && !writeEnd(part, news.answer, *news.end))
        return false;
    }
    if (!answers.streams.areOver())
      return true;
    if (answers.withUsage)
      part += eventOf(usagePart(head, answers.log->usage));
    part += lastEvent;
    isSent = true;
    return false;
  }

private:
  RunningAnswers answers;
  bool isBegun = false, isSent = false;

  void writePiece(std::string &part, const AnswerStreams::News &news) {
    if (answers.readers.empty()) {
      if (!news.piece.isEmpty())
        part += eventOf(nextPart(answers.head, news.answer, news.piece));
      return;
    }
    for (const AnswerPart &own :
         answers.partsOf(news.answer, news.piece.text, news.end.has_value()))
      part +=
          eventOf(own.isOfCall ? callPart(answers.head, news.answer, own)
                  : own.isThought
                      ? thoughtPart(answers.head, news.answer, own.text)
                      : nextPart(answers.head, news.answer, {own.text, {}}));
  }

  /// Appends the event after the last token of an answer. An error ends the
  /// stream of all answers: then it returns false.
  bool writeEnd(std::string &part, size_t answer, const AnswerEnd &end) {
    addUsage(answers.log->usage, end.usage, answer, answers.answersOfPrompt);
    if (!end.error) {
      part += eventOf(
          lastPart(answers.head, answer, end, answers.hasCalls(answer)));
      return true;
    }
    answers.log->status = end.error->status;
    part += eventOf(end.error->body());
    isSent = true;
    return false;
  }
};

} // namespace

std::vector<AnswerPart>
RunningAnswers::partsOf(size_t answer, const std::string &text, bool isLast) {
  std::vector<AnswerPart> parts = readers[answer].read(text);
  if (isLast)
    for (AnswerPart &part : readers[answer].finish())
      parts.push_back(std::move(part));
  return parts;
}

HttpReply streamedReply(RunningAnswers answers) {
  HttpReply reply;
  reply.contentType = "text/event-stream";
  reply.headers = {{"Cache-Control", "no-cache"}};
  reply.parts = std::make_shared<StreamedAnswer>(std::move(answers));
  return reply;
}

HttpReply wholeReply(RunningAnswers answers,
                     const std::function<bool()> &isDisconnected) {
  AnswerStreams &streams = answers.streams;
  std::vector<WholeAnswer> whole(streams.size());
  while (!streams.areOver()) {
    for (AnswerStreams::News &news : streams.take(newsPause)) {
      WholeAnswer &own = whole[news.answer];
      if (answers.readers.empty())
        own.content.text += news.piece.text;
      else
        for (const AnswerPart &part : answers.partsOf(
                 news.answer, news.piece.text, news.end.has_value()))
          own.add(part);
      std::ranges::move(news.piece.tokens,
                        std::back_inserter(own.content.tokens));
      if (!news.end)
        continue;
      own.end = *news.end;
      addUsage(answers.log->usage, own.end.usage, news.answer,
               answers.answersOfPrompt);
      if (own.end.error) {
        streams.cancel();
        throw ApiError(*own.end.error);
      }
    }
    if (isDisconnected && isDisconnected()) {
      streams.cancel();
      throw ApiError(RequestLog::clientGone, "The client has disconnected.");
    }
  }
  HttpReply reply;
  reply.body = dump(wholeReply(answers.head, whole, answers.log->usage));
  return reply;
}

} // namespace transfold::runtime::serve
