// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns logits into a token, text and log probabilities, and detects the end.

#include "runtime/serve/engine/RunningSequence.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace transfold::runtime::serve {

RunningSequence::RunningSequence(CompletionJob job, const Tokenizer &tokenizer,
                                 size_t slot, size_t reused)
    : described(std::move(job)), place(slot), reused(reused),
      all(described.prompt), sampler(described.sampling),
      text([&tokenizer, this](
               std::span<const int32_t> ids) { return textOf(tokenizer, ids); },
           described.stops,
           [this](std::string_view more) { piece.text += more; }),
      scores(tokenizer, described.topScores) {}

std::span<const int32_t> RunningSequence::made() const {
  return std::span(all).subspan(described.prompt.size());
}

std::string RunningSequence::textOf(const Tokenizer &tokenizer,
                                    std::span<const int32_t> ids) const {
  const std::vector<int32_t> &shown = described.shown;
  if (shown.empty())
    return tokenizer.decode(ids);
  std::vector<int32_t> chosen;
  std::ranges::copy_if(ids, std::back_inserter(chosen), [&](int32_t id) {
    return !tokenizer.isSpecial(id) ||
           std::ranges::find(shown, id) != shown.end();
  });
  return tokenizer.decode(chosen, true);
}

Usage RunningSequence::usage() const {
  return {described.prompt.size(), reused, made().size(), described.cut};
}

void RunningSequence::finish(AnswerEnd::Reason reason) {
  described.stream->push(std::exchange(piece, {}));
  described.stream->finish({reason, std::nullopt, usage()});
}

bool RunningSequence::take(std::span<const float> logits) {
  auto [token, logProbability, isCut] =
      sampler.choose(logits, all, described.prompt.size(), described.most);
  if (described.isScored && !isEnd(token))
    scores.add(logits, made(), token, logProbability);
  return append(token, isCut);
}

bool RunningSequence::isEnd(int32_t token) const {
  return std::ranges::find(described.ends, token) != described.ends.end();
}

bool RunningSequence::append(int32_t token, bool isCut) {
  const bool isEnd = this->isEnd(token);
  all.push_back(token);
  auto shown = isEnd ? made().first(made().size() - 1) : made();
  bool isFull = static_cast<int64_t>(made().size()) >= described.most;
  bool isStopped = !text.update(shown, isEnd || isFull);
  const bool isOver = isEnd || isStopped || isFull;
  scores.release(text,
                 isStopped ? TokenScores::Rest::CutOff
                 : isOver  ? TokenScores::Rest::AllShown
                           : TokenScores::Rest::Follows,
                 piece.tokens);
  if (isOver) {
    finish((isEnd && !isCut) || isStopped ? AnswerEnd::Reason::Stop
                                          : AnswerEnd::Reason::Length);
    return false;
  }
  described.stream->push(std::exchange(piece, {}));
  return true;
}

} // namespace transfold::runtime::serve
