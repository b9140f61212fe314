// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `fill`: the most likely tokens in place of a text's mask tokens. The
// entry returns a logit for each token of the vocabulary, at each position.

#pragma once

#include "runtime/tasks/text/TextCall.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tasks {

/// A candidate for a mask, as text.
struct Filling {
  int32_t id;
  std::string text;
  double probability;
};

/// Fills masks.
class Filler {
public:
  /// Throws Error if the program does not fill masks.
  explicit Filler(Session &session);

  /// Number of tokens to choose from (vocabulary).
  size_t choices() const { return width; }
  /// A mask of the text with its most likely tokens.
  struct Mask {
    size_t place; // index among the text's tokens
    std::vector<Filling> fillings;
  };
  /// A text's tokens and all its masks.
  struct Filled {
    Encoding encoding;
    std::vector<Mask> masks; // at least one
  };
  /// The `top` most likely tokens for each mask. Throws Error if the text has
  /// no mask.
  Filled run(std::string_view text, size_t top);

private:
  TextCall call;
  size_t width; // number of logits for each position
  /// The mask token as text, "[MASK]" or "<mask>", and its id.
  std::string maskText;
  int32_t mask;

  /// The `top` most likely tokens by the logits of one position.
  std::vector<Filling> fillingsOf(std::span<const float> logits,
                                  size_t top) const;
};

} // namespace transfold::runtime::inline tasks
