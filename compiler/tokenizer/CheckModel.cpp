// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits and values that do not depend on the file format.

#include "compiler/tokenizer/CheckModel.h"

#include "base/Error.h"
#include "runtime/tokenizer/tables/Growth.h"

#include <algorithm>

namespace transfold::tokenizer {

void checkTokenLengths(const runtime::Vocabulary &words) {
  if (words.longest > runtime::mostTokenBytes)
    fail("a token of the vocabulary has {} bytes; more than {} are "
         "not supported",
         words.longest, runtime::mostTokenBytes);
}

double unknownScoreOf(std::span<const double> scores) {
  // How much less likely an unknown character is than the rarest token.
  constexpr double penalty = 10;
  return std::ranges::min(scores) - penalty;
}

} // namespace transfold::tokenizer
