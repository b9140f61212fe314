// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/RunningAnswer.h"

#include "runtime/tasks/Ranking.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::serve {

RunningAnswer::RunningAnswer(CompletionJob job, const Tokenizer &tokenizer,
                             size_t slot, size_t reused)
    : described(std::move(job)), tokenizer(tokenizer), place(slot),
      reused(reused), all(described.prompt), sampler(described.sampling),
      text([&tokenizer](
               std::span<const int32_t> ids) { return tokenizer.decode(ids); },
           described.stops,
           [this](std::string_view more) { piece.text += more; }) {}

std::span<const int32_t> RunningAnswer::made() const {
  return std::span(all).subspan(described.prompt.size());
}

Usage RunningAnswer::usage() const {
  return {described.prompt.size(), reused, made().size()};
}

/// What a token adds to the text before it. A space at the beginning of a text
/// is left out by some tokenizers, so that it is read behind some others.
std::string RunningAnswer::textOf(int32_t token) const {
  constexpr size_t contextTokens = 4;
  std::span<const int32_t> before = made();
  std::vector<int32_t> window;
  for (int32_t each : before.last(std::min(before.size(), contextTokens)))
    window.push_back(each);
  std::string context = tokenizer.decode(window);
  window.push_back(token);
  std::string whole = tokenizer.decode(window, true);
  return whole.starts_with(context) ? whole.substr(context.size())
                                    : tokenizer.decode(std::span(&token, 1));
}

ScoredToken RunningAnswer::scored(std::span<const float> logits, int32_t token,
                                  double logProbability) const {
  ScoredToken result{{textOf(token), logProbability}, {}};
  if (!described.topScores)
    return result;
  std::vector<double> all;
  logSoftmax(logits, all);
  for (size_t id : largest(all, described.topScores))
    result.top.push_back({textOf(static_cast<int32_t>(id)), all[id]});
  return result;
}

void RunningAnswer::finish(AnswerEnd::Reason reason) {
  described.stream->push(std::exchange(piece, {}));
  described.stream->finish({reason, std::nullopt, usage()});
}

bool RunningAnswer::take(std::span<const float> logits) {
  auto [token, logProbability, isCut] =
      sampler.choose(logits, all, described.prompt.size(), described.most);
  if (described.isScored && !isEnd(token))
    piece.tokens.push_back(scored(logits, token, logProbability));
  return append(token, isCut);
}

bool RunningAnswer::isEnd(int32_t token) const {
  return std::ranges::find(described.ends, token) != described.ends.end();
}

bool RunningAnswer::append(int32_t token, bool isCut) {
  const bool isEnd = this->isEnd(token);
  all.push_back(token);
  auto shown = isEnd ? made().first(made().size() - 1) : made();
  bool isFull = static_cast<int64_t>(made().size()) >= described.most;
  bool isStopped = !text.update(shown, isEnd || isFull);
  if (isEnd || isStopped || isFull) {
    finish((isEnd && !isCut) || isStopped ? AnswerEnd::Reason::Stop
                                          : AnswerEnd::Reason::Length);
    return false;
  }
  described.stream->push(std::exchange(piece, {}));
  return true;
}

} // namespace transfold::runtime::serve
