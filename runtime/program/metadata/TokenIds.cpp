// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks accept ids up to 2^31 - 1 if the size of the vocabulary is
// unknown.

#include "runtime/program/metadata/TokenIds.h"

#include "base/Error.h"

#include <algorithm>

namespace transfold::runtime::inline program {

int32_t tokenOf(int64_t id, int64_t known, std::string_view place) {
  constexpr int64_t most = int64_t{1} << 31;
  known = known > 0 ? std::min(known, most) : most;
  if (id < 0 || id >= known)
    fail("{}{}there is no token {}; the model knows 0 to {}", place,
         place.empty() ? "" : ": ", id, known - 1);
  return static_cast<int32_t>(id);
}

void checkTokens(std::span<const int32_t> ids, int64_t known,
                 std::string_view place) {
  for (int32_t id : ids)
    tokenOf(id, known, place);
}

} // namespace transfold::runtime::inline program
