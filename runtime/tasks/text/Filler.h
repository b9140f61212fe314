// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `fill`: what may stand where a text has the mask token. The entry
// gives a number for each token of the vocabulary, at each place.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_FILLER_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_FILLER_H

#include "runtime/tasks/text/TextCall.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

/// What may stand in a mask's place, as a text.
struct Filling {
  int32_t id;
  std::string text;
  double probability;
};

class Filler {
public:
  /// Throws Error where the program does not fill masks.
  explicit Filler(Session &session);

  /// From how many tokens one is chosen.
  size_t choices() const { return width; }
  struct Mask {
    size_t place; // among the text's tokens
    std::vector<Filling> fillings;
  };
  struct Filled {
    Encoding encoding;
    std::vector<Mask> masks; // at least one
  };
  /// The `top` likeliest for each mask. Throws Error where there is none.
  Filled run(std::string_view text, size_t top);

private:
  TextCall call;
  size_t width; // numbers for each place
  std::string maskText;
  int32_t mask;

  std::vector<Filling> fillingsOf(std::span<const float> logits,
                                  size_t top) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_FILLER_H
