// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/reference/Interpreter.h"
#include "compiler/weights/Packed.h"
#include "runtime/WeightsFormat.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <unistd.h>

using namespace mlir;
using namespace transfold;

namespace {

/// A file that has its name only once it is whole.
class NewFile {
public:
  explicit NewFile(const std::string &path)
      : path(path), temporary(fmt::format("{}.{}.partial", path, getpid())),
        file(std::fopen(temporary.c_str(), "wb")) {
    if (!file)
      fail("cannot be written");
  }
  ~NewFile() {
    if (file)
      std::fclose(file);
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  }
  void write(const void *data, size_t bytes) {
    if (std::fwrite(data, 1, bytes, file) != bytes)
      fail("could not be written whole");
  }
  void pad(size_t bytes) {
    static constexpr char zeros[4096] = {};
    for (; bytes > 0; bytes -= std::min(bytes, sizeof zeros))
      write(zeros, std::min(bytes, sizeof zeros));
  }
  void finish() {
    int failed = std::fflush(file);
    failed |= std::fclose(file);
    file = nullptr;
    if (failed || std::rename(temporary.c_str(), path.c_str()))
      fail("could not be written whole");
  }

private:
  [[noreturn]] void fail(const char *what) {
    throw std::runtime_error(
        fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
  }
  std::string path, temporary;
  std::FILE *file;
};

} // namespace

void weights::writeWeights(ModuleOp module,
                           const checkpoint::Checkpoint &checkpoint,
                           const std::string &path, const std::string &hash,
                           const std::function<void(int64_t)> &progress) {
  transfold_weights_header header = {};
  std::memcpy(header.magic, TRANSFOLD_WEIGHTS_MAGIC, sizeof header.magic);
  header.version = 1;
  header.payload_bytes = payloadBytes(module);
  std::memcpy(header.hash, hash.data(),
              std::min(hash.size(), sizeof header.hash));

  NewFile file(path);
  file.write(&header, sizeof header);
  file.pad(TRANSFOLD_WEIGHTS_PAYLOAD - sizeof header);
  int64_t written = 0;
  for (auto stored : module.getOps<xf::StoredOp>())
    for (int64_t member = 0; member < members(stored); ++member) {
      std::vector<float> packed = pack(stored, member, checkpoint);
      int64_t bytes = packed.size() * sizeof(float);
      file.write(packed.data(), bytes);
      file.pad(*stored.getStride() - bytes);
      progress(written += *stored.getStride());
    }
  file.finish();
}
