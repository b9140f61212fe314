// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constraint of a generated text, with the vocabulary of a program.

#pragma once

#include "runtime/constrain/Constraint.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <mutex>

namespace transfold::runtime::inline constrain {

/// What a generated text follows, and what may end it.
struct TextConstraint {
  std::shared_ptr<const Grammar> grammar;
  std::shared_ptr<const TokenIndex> index;
  std::vector<int32_t> ends; // allowed where the text is complete
};

/// The bytes that each of the first `count` tokens adds to a text; empty for
/// special tokens that are not `shown`, and for tokens that change the text
/// before them.
std::vector<std::string> textsOfTokens(const Tokenizer &tokenizer, size_t count,
                                       std::span<const int32_t> shown = {});
/// Whether decoding drops a space at the beginning of a text.
bool dropsFirstSpace(const Tokenizer &tokenizer,
                     std::span<const std::string> texts);

/// The vocabulary of a program, prepared when the first constraint needs it.
/// May be used by several threads.
class LazyTokenIndex {
public:
  /// The arguments must always be the same.
  std::shared_ptr<const TokenIndex> get(const Tokenizer &tokenizer,
                                        size_t count,
                                        std::span<const int32_t> shown = {});

private:
  std::once_flag once;
  std::shared_ptr<const TokenIndex> index;
};

} // namespace transfold::runtime::inline constrain
