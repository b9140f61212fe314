// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/reference/Interpreter.h"
#include "compiler/weights/Packed.h"
#include "compiler/weights/WeightSources.h"
#include "runtime/OutputFile.h"
#include "runtime/WeightsFormat.h"

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace mlir;
using namespace transfold;

/// Zeros behind what was written, so that mapped weights are aligned.
static void pad(runtime::OutputFile &file, size_t bytes) {
  file.write(std::string(bytes, '\0'));
}

template <typename T>
static void write(runtime::OutputFile &file, const T *data, size_t count) {
  file.write({reinterpret_cast<const char *>(data), count * sizeof(T)});
}

const char *weights::sourcesHash() { return TRANSFOLD_WEIGHT_SOURCES; }

static transfold_weights_header headerOf(ModuleOp module,
                                         const std::string &hash) {
  transfold_weights_header header = {};
  std::memcpy(header.magic, TRANSFOLD_WEIGHTS_MAGIC, sizeof header.magic);
  header.version = 1;
  header.payload_bytes = weights::payloadBytes(module);
  std::memcpy(header.hash, hash.data(),
              std::min(hash.size(), sizeof header.hash));
  return header;
}

bool weights::isWritten(ModuleOp module, const std::string &path,
                        const std::string &hash) {
  transfold_weights_header expected = headerOf(module, hash), found = {};
  std::error_code error;
  auto size = std::filesystem::file_size(path, error);
  if (error || size != TRANSFOLD_WEIGHTS_PAYLOAD + expected.payload_bytes)
    return false;
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char *>(&found), sizeof found);
  return file && std::memcmp(&found, &expected, sizeof found) == 0;
}

void weights::writeWeights(ModuleOp module,
                           const checkpoint::Checkpoint &checkpoint,
                           const std::string &path, const std::string &hash,
                           const std::function<void(int64_t)> &progress) {
  transfold_weights_header header = headerOf(module, hash);
  runtime::OutputFile file(path);
  write(file, &header, 1);
  pad(file, TRANSFOLD_WEIGHTS_PAYLOAD - sizeof header);
  int64_t written = 0;
  for (xf::StoredOp stored : placed(module))
    for (int64_t member = 0; member < members(stored); ++member) {
      std::vector<float> packed = pack(stored, member, checkpoint);
      int64_t bytes = packed.size() * sizeof(float);
      write(file, packed.data(), packed.size());
      pad(file, *stored.getStride() - bytes);
      progress(written += *stored.getStride());
    }
  file.commit();
}
