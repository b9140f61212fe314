// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/weights/Packed.h"
#include "compiler/weights/WeightSources.h"
#include "runtime/Error.h"
#include "runtime/files/Checksums.h"
#include "runtime/files/OutputFile.h"
#include "runtime/files/WeightsFile.h"
#include "runtime/files/WeightsFormat.h"

#include <cstring>

using namespace mlir;
using namespace transfold;

const char *weights::sourcesHash() { return TRANSFOLD_WEIGHT_SOURCES; }

template <typename T>
static std::string_view textOf(const T *data, size_t count) {
  return {reinterpret_cast<const char *>(data), count * sizeof(T)};
}

static transfold_weights_header headerOf(ModuleOp module,
                                         const std::string &hash) {
  transfold_weights_header header = {};
  std::memcpy(header.magic, TRANSFOLD_WEIGHTS_MAGIC, sizeof header.magic);
  header.version = TRANSFOLD_WEIGHTS_VERSION;
  header.payload_bytes = weights::payloadBytes(module);
  std::memcpy(header.hash, hash.data(),
              std::min(hash.size(), sizeof header.hash));
  return header;
}

static bool isWhole(ModuleOp module, const std::string &path,
                    const std::string &hash, bool compareNumbers) {
  try {
    auto file =
        runtime::WeightsFile::at(path, weights::payloadBytes(module), hash);
    if (compareNumbers)
      file.check();
    return true;
  } catch (const runtime::Error &) {
    return false; // nothing, another program's, or damaged
  }
}

bool weights::isWritten(ModuleOp module, const std::string &path,
                        const std::string &hash) {
  return isWhole(module, path, hash, /*compareNumbers=*/true);
}

bool weights::isStillWritten(ModuleOp module, const std::string &path,
                             const std::string &hash) {
  return isWhole(module, path, hash, /*compareNumbers=*/false);
}

void weights::writeWeights(ModuleOp module,
                           const checkpoint::Checkpoint &checkpoint,
                           runtime::OutputFile &file, const std::string &hash,
                           const std::function<void(int64_t)> &progress) {
  transfold_weights_header header = headerOf(module, hash);
  file.write(textOf(&header, 1));
  file.pad(TRANSFOLD_WEIGHTS_PAYLOAD - sizeof header);
  runtime::BlockChecksums checksums(TRANSFOLD_WEIGHTS_BLOCK);
  int64_t written = 0;
  for (xf::StoredOp stored : placed(module))
    for (int64_t member = 0; member < members(stored); ++member) {
      std::vector<std::byte> packed = pack(stored, member, checkpoint);
      // Mapped weights are aligned.
      packed.resize(*stored.getStride());
      checksums.add(
          {reinterpret_cast<const uint8_t *>(packed.data()), packed.size()});
      file.write(textOf(packed.data(), packed.size()));
      progress(written += *stored.getStride());
    }
  file.pad(runtime::paddingOfWeights(written));
  const std::vector<uint64_t> &sums = checksums.finish();
  file.write(textOf(sums.data(), sums.size()));
}

void weights::appendWeights(ModuleOp module,
                            const checkpoint::Checkpoint &checkpoint,
                            runtime::OutputFile &executable,
                            const std::string &hash,
                            const std::function<void(int64_t)> &progress) {
  // Mapped memory starts at whole pages.
  executable.pad(-executable.size() % TRANSFOLD_WEIGHTS_PAYLOAD);
  transfold_weights_trailer trailer = {};
  trailer.offset = executable.size();
  writeWeights(module, checkpoint, executable, hash, progress);
  trailer.size = executable.size() - trailer.offset;
  std::memcpy(trailer.magic, TRANSFOLD_TRAILER_MAGIC, sizeof trailer.magic);
  executable.write(textOf(&trailer, 1));
}
