// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checksums of the blocks of a long byte sequence: they detect whether the
// bytes have changed since they were written, and where. Against accidents, not
// against malice.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime::inline weights {

/// XXH3 of 64 bits: as fast as memory is read.
uint64_t checksum(std::span<const uint8_t> bytes);

/// Computes the checksums of bytes that arrive in pieces of any size.
class BlockChecksums {
public:
  explicit BlockChecksums(size_t blockBytes) : block(blockBytes) {}

  /// Appends bytes of the sequence.
  void add(std::span<const uint8_t> bytes);
  /// The checksums of all blocks; the last block may be shorter. Nothing may be
  /// added afterwards.
  const std::vector<uint64_t> &finish();

private:
  std::vector<uint8_t> block; // the block that is being filled
  /// Number of bytes of `block` that are valid: fewer than a block between
  /// calls.
  size_t filled = 0;
  /// Checksums of the blocks that are complete.
  std::vector<uint64_t> sums;
};

} // namespace transfold::runtime::inline weights
