// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the text that each token adds, by decoding it after a few earlier ones,
// and the place in the answer where that text begins.

#include "runtime/serve/engine/TokenScores.h"

#include "runtime/steps/sampling/Sampling.h"
#include "runtime/tasks/text/Ranking.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// The text that a token adds to the text before it. Some tokenizers drop a
/// space at the beginning of a text, so a token is decoded after a few others.
class Addition {
public:
  Addition(const Tokenizer &tokenizer, std::span<const int32_t> before)
      : tokenizer(tokenizer) {
    constexpr size_t contextTokens = 4;
    for (size_t i = before.size(); i > 0 && window.size() < contextTokens; --i)
      if (!tokenizer.isSpecial(before[i - 1]))
        window.push_back(before[i - 1]);
    std::ranges::reverse(window);
    context = tokenizer.decode(window);
  }

  /// The text that `token` would add.
  TokenScore of(int32_t token, double logProbability) {
    if (tokenizer.isSpecial(token))
      return {token, tokenizer.token(token).value_or(""), false,
              logProbability};
    if (auto part = tokenizer.partOfCharacter(token))
      return {token, std::move(*part), true, logProbability};
    return {token, textOf(token), true, logProbability};
  }

private:
  const Tokenizer &tokenizer;
  std::vector<int32_t> window;
  std::string context; // the text of `window`

  std::string textOf(int32_t token) {
    window.push_back(token);
    std::string whole = tokenizer.decode(window);
    window.pop_back();
    return whole.starts_with(context) ? whole.substr(context.size())
                                      : tokenizer.decode(std::span(&token, 1));
  }
};

} // namespace

void TokenScores::add(std::span<const float> logits,
                      std::span<const int32_t> before, int32_t token,
                      double logProbability) {
  Addition addition(tokenizer, before);
  ScoredToken score{addition.of(token, logProbability), 0, {}};
  if (top) {
    std::vector<double> all;
    logSoftmax(logits, all);
    bool hasChosen = false;
    for (size_t id : largest(all, top)) {
      score.top.push_back(addition.of(static_cast<int32_t>(id), all[id]));
      hasChosen |= score.top.back().token == token;
    }
    // It was sampled, or was chosen because of a penalty or a rule.
    if (!hasChosen)
      score.top.push_back(static_cast<const TokenScore &>(score));
  }
  held.push_back({std::move(score), SIZE_MAX});
}

/// Number of code points before `begin`, which must not decrease from call to
/// call.
size_t TokenScores::charactersBefore(std::string_view text, size_t begin) {
  for (const size_t end = std::min(begin, text.size()); bytes < end; ++bytes)
    characters += (text[bytes] & 0xc0) != 0x80;
  return characters;
}

void TokenScores::release(const TextStream &text, Rest rest,
                          std::vector<ScoredToken> &to) {
  // A new token begins where the text so far is unchanged: a token that
  // completes a character begins with it, like the earlier tokens of the
  // character.
  for (Held &each : held)
    each.begin = std::min(each.begin, text.unchanged());
  while (!held.empty() &&
         (rest == Rest::AllShown || held.front().begin < text.shownBytes())) {
    Held first = std::move(held.front());
    held.pop_front();
    first.score.offset = charactersBefore(text.whole(), first.begin);
    to.push_back(std::move(first.score));
  }
  if (rest == Rest::CutOff)
    held.clear();
}

} // namespace transfold::runtime::serve
