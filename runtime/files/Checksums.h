// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checksum for each block of a long run of bytes: says that they are as they
// were written, and if not, where. Against accidents, not against malice.

#ifndef TRANSFOLD_RUNTIME_FILES_CHECKSUMS_H
#define TRANSFOLD_RUNTIME_FILES_CHECKSUMS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime {

/// XXH3, 64 bits: as fast as memory is read.
uint64_t checksum(std::span<const uint8_t> bytes);

/// Checksums of bytes that come in pieces of any size.
class BlockChecksums {
public:
  explicit BlockChecksums(size_t blockBytes) : block(blockBytes) {}

  void add(std::span<const uint8_t> bytes);
  /// Of all blocks; the last may be shorter. Nothing is added after it.
  const std::vector<uint64_t> &finish();

private:
  std::vector<uint8_t> block; // that is being filled
  size_t filled = 0;
  std::vector<uint64_t> sums;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_CHECKSUMS_H
