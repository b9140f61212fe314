// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH3 from the xxHash library, included as source: the functions are inlined,
// and nothing has to be linked.

#include "runtime/weights/Checksums.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace transfold::runtime::inline weights {

uint64_t checksum(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void BlockChecksums::add(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    // A whole block need not be copied.
    if (filled == 0 && bytes.size() >= block.size()) {
      sums.push_back(checksum(bytes.first(block.size())));
      bytes = bytes.subspan(block.size());
      continue;
    }
    size_t count = std::min(bytes.size(), block.size() - filled);
    std::memcpy(block.data() + filled, bytes.data(), count);
    bytes = bytes.subspan(count);
    filled += count;
    if (filled == block.size()) {
      sums.push_back(checksum(block));
      filled = 0;
    }
  }
}

const std::vector<uint64_t> &BlockChecksums::finish() {
  if (filled)
    sums.push_back(checksum(std::span(block).first(filled)));
  filled = 0;
  return sums;
}

} // namespace transfold::runtime::inline weights
