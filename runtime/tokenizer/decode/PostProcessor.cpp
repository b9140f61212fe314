// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the parts of the model's input, and corrects positions as Hugging
// Face's library does with trim_offsets.

#include "runtime/tokenizer/decode/PostProcessor.h"

#include "runtime/tokenizer/tables/Tables.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

void PostProcessor::Part::check() const {
  if (text < -1 || text > 1)
    damagedTables("name a third text");
}

void PostProcessor::trim(uint32_t &begin, uint32_t &end, Spaces spaces,
                         bool first) const {
  for (uint8_t spaceAdded : trimming) {
    uint32_t leading = spaces.leading;
    // A single space before the text may be the one that was added.
    if ((first || begin == 0) && spaceAdded && leading == 1)
      leading = 0;
    begin = std::min(begin + leading, end);
    if (end >= spaces.trailing)
      end = std::max(end - spaces.trailing, begin);
  }
}

} // namespace transfold::runtime::inline tokenizer
