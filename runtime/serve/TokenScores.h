// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log probabilities of an answer's tokens, which wait until their text is
// shown: what a stop text cuts off has none.

#ifndef TRANSFOLD_RUNTIME_SERVE_TOKENSCORES_H
#define TRANSFOLD_RUNTIME_SERVE_TOKENSCORES_H

#include "runtime/serve/AnswerStream.h"
#include "runtime/tasks/TextStream.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <deque>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

class TokenScores {
public:
  /// So many of the likeliest are told of beside each token.
  TokenScores(const Tokenizer &tokenizer, size_t top)
      : tokenizer(tokenizer), top(top) {}

  /// Of the token that was chosen behind those of `before`, before its text is.
  void add(std::span<const float> logits, std::span<const int32_t> before,
           int32_t token, double logProbability);

  /// What becomes of text that was not shown.
  enum class Rest { Follows, AllShown, CutOff };
  /// Moves what is shown to `to`, each time when the text has been updated.
  void release(const TextStream &text, Rest rest, std::vector<ScoredToken> &to);

private:
  struct Held {
    ScoredToken score;
    size_t begin; // bytes of the text before it
  };
  const Tokenizer &tokenizer;
  size_t top;
  std::deque<Held> held;
  size_t bytes = 0, characters = 0; // of the text before what was released

  size_t charactersBefore(std::string_view text, size_t begin);
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_TOKENSCORES_H
