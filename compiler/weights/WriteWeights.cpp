// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the file of weights: header, payload in the order of places,
// checksums. The payload is packed in blocks by several threads, and written
// and summed by one.

#include "compiler/weights/WriteWeights.h"

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "compiler/weights/InOrder.h"
#include "compiler/weights/Pack.h"
#include "compiler/weights/WeightSources.h"
#include "runtime/weights/Checksums.h"
#include "runtime/weights/WeightsFile.h"
#include "runtime/weights/WeightsFormat.h"

#include <cstring>

using namespace mlir;
using namespace transfold;

SmallVector<xf::StoredOp> weights::placed(Modules modules) {
  SmallVector<xf::StoredOp> found;
  for (ModuleOp module : modules)
    for (auto stored : module.getOps<xf::StoredOp>())
      if (stored.getPlace())
        found.push_back(stored);
  auto offset = [](xf::StoredOp stored) {
    return stored.getPlace()->getOffset();
  };
  // Weights that several modules share have the same place.
  llvm::stable_sort(found, [&](xf::StoredOp a, xf::StoredOp b) {
    return offset(a) < offset(b);
  });
  found.erase(llvm::unique(found,
                           [&](xf::StoredOp a, xf::StoredOp b) {
                             return offset(a) == offset(b);
                           }),
              found.end());
  return found;
}

int64_t weights::payloadBytes(Modules modules) {
  int64_t end = 0;
  for (auto stored : placed(modules))
    end =
        std::max(end, stored.getPlace()->getOffset() +
                          stored.getPlace()->getStride() * stored.getMembers());
  return end;
}

/// The build defines this hash: weights that other code wrote are written anew.
const char *weights::sourcesHash() { return TRANSFOLD_WEIGHT_SOURCES; }

/// The bytes of an array as a text.
template <typename T>
static std::string_view textOf(const T *data, size_t count) {
  return {reinterpret_cast<const char *>(data), count * sizeof(T)};
}

/// The header; the rest of `hash` is zero if it is shorter.
static transfold_weights_header headerOf(weights::Modules modules,
                                         const std::string &hash) {
  transfold_weights_header header = {};
  std::memcpy(header.magic, TRANSFOLD_WEIGHTS_MAGIC, sizeof header.magic);
  header.version = TRANSFOLD_WEIGHTS_VERSION;
  header.payload_bytes = weights::payloadBytes(modules);
  std::memcpy(header.hash, hash.data(),
              std::min(hash.size(), sizeof header.hash));
  return header;
}

/// Whether a file has this header and size and, if `compareNumbers`, these
/// checksums.
static bool isWhole(weights::Modules modules, const std::string &path,
                    const std::string &hash, bool compareNumbers) {
  try {
    auto file =
        runtime::WeightsFile::at(path, weights::payloadBytes(modules), hash);
    if (compareNumbers)
      file.check();
    return true;
  } catch (const Error &) {
    return false; // missing, of another program, or damaged
  }
}

bool weights::isWritten(Modules modules, const std::string &path,
                        const std::string &hash) {
  return isWhole(modules, path, hash, /*compareNumbers=*/true);
}

bool weights::isStillWritten(Modules modules, const std::string &path,
                             const std::string &hash) {
  return isWhole(modules, path, hash, /*compareNumbers=*/false);
}

namespace {
/// Units of a member that are packed together.
struct PackedBlock {
  xf::StoredOp stored;
  int64_t member, first, count;
  int64_t packed;       // bytes of the units
  int64_t bytes;        // including the zeros up to the member's stride
  std::string unscaled; // the result of packUnits
};
} // namespace

/// The blocks of all weights, in the order of the file.
static std::vector<PackedBlock> blocksOf(weights::Modules modules) {
  std::vector<PackedBlock> blocks;
  for (xf::StoredOp stored : weights::placed(modules)) {
    const weights::Units units = weights::unitsOf(stored);
    for (int64_t member = 0; member < stored.getMembers(); ++member) {
      for (int64_t first = 0; first < units.count; first += units.atATime) {
        int64_t count = std::min(units.atATime, units.count - first);
        int64_t packed = count * units.bytes;
        blocks.push_back({stored, member, first, count, packed, packed});
      }
      // Padding aligns mapped weights.
      blocks.back().bytes +=
          stored.getPlace()->getStride() - units.count * units.bytes;
    }
  }
  return blocks;
}

/// Each thread holds two blocks, which are large for experts with many rows.
/// Limits the threads such that all blocks together stay below 256 MiB, if
/// those of one thread do.
static unsigned threadsFor(ArrayRef<PackedBlock> blocks, unsigned threads) {
  int64_t largest = 1;
  for (const PackedBlock &block : blocks)
    largest = std::max(largest, block.bytes);
  const int64_t fit = (int64_t{256} << 20) / (2 * largest);
  return static_cast<unsigned>(std::clamp<int64_t>(fit, 1, threads));
}

std::vector<std::string>
weights::writeWeights(Modules modules, const checkpoint::Checkpoint &checkpoint,
                      OutputFile &file, const std::string &hash,
                      unsigned threads,
                      const std::function<void(int64_t)> &progress) {
  transfold_weights_header header = headerOf(modules, hash);
  file.write(textOf(&header, 1));
  file.pad(TRANSFOLD_WEIGHTS_PAYLOAD - sizeof header);
  runtime::BlockChecksums checksums(TRANSFOLD_WEIGHTS_BLOCK);
  int64_t written = 0;
  std::vector<PackedBlock> blocks = blocksOf(modules);
  auto make = [&](size_t number, Piece &piece) {
    PackedBlock &block = blocks[number];
    piece.resize(block.bytes);
    block.unscaled = packUnits(block.stored, block.member, checkpoint,
                               block.first, block.count, piece.data());
    std::fill(piece.begin() + block.packed, piece.end(), std::byte());
  };
  std::vector<std::string> unscaled;
  auto take = [&](size_t number, const Piece &piece) {
    const std::string &name = blocks[number].unscaled;
    if (!name.empty() && !llvm::is_contained(unscaled, name))
      unscaled.push_back(name);
    checksums.add(
        {reinterpret_cast<const uint8_t *>(piece.data()), piece.size()});
    file.write(textOf(piece.data(), piece.size()));
    progress(written += static_cast<int64_t>(piece.size()));
  };
  inOrder(blocks.size(), threadsFor(blocks, threads), make, take);
  file.pad(runtime::paddingOfWeights(written));
  const std::vector<uint64_t> &sums = checksums.finish();
  file.write(textOf(sums.data(), sums.size()));
  return unscaled;
}

std::vector<std::string> weights::appendWeights(
    Modules modules, const checkpoint::Checkpoint &checkpoint,
    OutputFile &executable, const std::string &hash, unsigned threads,
    const std::function<void(int64_t)> &progress) {
  // Mapped memory starts at a page boundary.
  executable.pad(-executable.size() % TRANSFOLD_WEIGHTS_PAYLOAD);
  transfold_weights_trailer trailer = {};
  trailer.offset = executable.size();
  std::vector<std::string> unscaled =
      writeWeights(modules, checkpoint, executable, hash, threads, progress);
  trailer.size = executable.size() - trailer.offset;
  std::memcpy(trailer.magic, TRANSFOLD_TRAILER_MAGIC, sizeof trailer.magic);
  executable.write(textOf(&trailer, 1));
  return unscaled;
}
