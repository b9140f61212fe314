// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash that connects a program with its weights.

#include "compiler/driver/model/ContentHash.h"

#include "compiler/weights/WriteWeights.h"

#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

using namespace transfold;

static uint64_t hashOf(std::span<const std::byte> bytes) {
  return llvm::xxh3_64bits(llvm::ArrayRef(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

std::string driver::contentHash(const std::string &module,
                                const checkpoint::Checkpoint &checkpoint) {
  uint64_t hash = llvm::xxh3_64bits(module + weights::sourcesHash());
  for (const auto &[name, tensor] : checkpoint.tensors()) {
    uint64_t parts[] = {hash, llvm::xxh3_64bits(name), hashOf(tensor.bytes),
                        hashOf(tensor.scales)};
    hash = llvm::xxh3_64bits(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(parts), sizeof parts));
  }
  return fmt::format("{:016x}", hash);
}
