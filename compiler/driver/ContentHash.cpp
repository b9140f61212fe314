// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/ContentHash.h"

#include "compiler/weights/WriteWeights.h"

#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

using namespace transfold;

std::string driver::contentHash(const std::string &module,
                                const checkpoint::Checkpoint &checkpoint) {
  uint64_t hash = llvm::xxh3_64bits(module + weights::sourcesHash());
  for (const auto &[name, tensor] : checkpoint.tensors()) {
    uint64_t parts[] = {
        hash, llvm::xxh3_64bits(name),
        llvm::xxh3_64bits(llvm::ArrayRef(
            reinterpret_cast<const uint8_t *>(tensor.bytes.data()),
            tensor.bytes.size()))};
    hash = llvm::xxh3_64bits(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(parts), sizeof parts));
  }
  return fmt::format("{:016x}", hash);
}
