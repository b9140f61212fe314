// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log probabilities of an answer's tokens, which are held back until their
// text is shown: tokens that a stop text cuts off are not reported.

#pragma once

#include "runtime/serve/api/AnswerStream.h"
#include "runtime/tasks/text/TextStream.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <deque>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

/// The scores of one answer; for use by one thread.
class TokenScores {
public:
  /// `top` is the number of most likely alternatives reported for each token.
  TokenScores(const Tokenizer &tokenizer, size_t top)
      : tokenizer(tokenizer), top(top) {}

  /// Adds the token chosen after those of `before`, before the text is updated.
  void add(std::span<const float> logits, std::span<const int32_t> before,
           int32_t token, double logProbability);

  /// What happens to the text that was not shown: more text follows, all is
  /// shown now, or it is cut off.
  enum class Rest { Follows, AllShown, CutOff };
  /// Moves the tokens whose text is shown to `to`; call it after each update of
  /// the text.
  void release(const TextStream &text, Rest rest, std::vector<ScoredToken> &to);

private:
  struct Held {
    ScoredToken score;
    size_t begin; // offset in bytes in the text
  };
  const Tokenizer &tokenizer;
  size_t top;
  std::deque<Held> held;
  /// Position in the text up to which tokens were released.
  size_t bytes = 0, characters = 0;

  size_t charactersBefore(std::string_view text, size_t begin);
};

} // namespace transfold::runtime::serve
