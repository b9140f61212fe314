// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds, maps and checks the weights of a program. A start compares only the
// header and the size of the file; the weights themselves are read when kernels
// first use them, or when all checksums are compared.

#include "runtime/weights/WeightsFile.h"

#include "base/Error.h"
#include "runtime/weights/Checksums.h"
#include "runtime/weights/WeightsFormat.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/auxv.h>
#include <sys/mman.h>

namespace transfold::runtime::inline weights {

/// Whether the content is a weights file by itself, not an executable.
static bool beginsAsWeights(std::span<const uint8_t> file) {
  constexpr std::string_view magic = TRANSFOLD_WEIGHTS_MAGIC;
  return file.size() >= magic.size() &&
         std::memcmp(file.data(), magic.data(), magic.size()) == 0;
}

WeightsFile::WeightsFile(const std::string &path, uint64_t payloadBytes,
                         const std::string &hash) {
  if (payloadBytes == 0)
    return;
  filePath = path;
  mapping = FileMapping(path, FileMapping::Watch::Yes);
  std::span<const uint8_t> file = mapping.bytes();
  if (!beginsAsWeights(file))
    file = embedded();
  if (file.empty()) {
    filePath = path + ".weights";
    std::error_code ignored;
    if (!std::filesystem::exists(filePath, ignored))
      fail("{}: not found; the weights are in a file beside the program, with "
           "its name and .weights: move both together, or compile with "
           "--embed-weights",
           filePath);
    mapping = FileMapping(filePath, FileMapping::Watch::Yes);
    file = mapping.bytes();
  }

  read(file, payloadBytes, hash);
  // Requests the pages now: they are read while the tokenizer is created.
  ::madvise(const_cast<uint8_t *>(file.data()), file.size(), MADV_WILLNEED);
}

WeightsFile WeightsFile::at(const std::string &path, uint64_t payloadBytes,
                            const std::string &hash) {
  WeightsFile weights;
  weights.filePath = path;
  weights.mapping =
      FileMapping(path, FileMapping::As::Replaceable, FileMapping::Watch::Yes);
  weights.read(weights.mapping.bytes(), payloadBytes, hash);
  return weights;
}

void WeightsFile::read(std::span<const uint8_t> file, uint64_t payloadBytes,
                       const std::string &given) {
  transfold_weights_header header;
  hash = given;
  if (file.size() < TRANSFOLD_WEIGHTS_PAYLOAD)
    fail("{}: is too short for a weights file; compile the model again",
         filePath);
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, TRANSFOLD_WEIGHTS_MAGIC, 8) != 0)
    fail("{}: is not a weights file; compile the model again", filePath);
  if (header.version != TRANSFOLD_WEIGHTS_VERSION)
    fail("{}: has version {} of the weights format; this program reads "
         "version {}",
         filePath, header.version, TRANSFOLD_WEIGHTS_VERSION);
  if (hash.size() != sizeof header.hash ||
      std::memcmp(header.hash, hash.data(), sizeof header.hash) != 0)
    fail("{}: belongs to another program; use the two files that one "
         "compilation made",
         filePath);
  if (header.payload_bytes != payloadBytes)
    fail("{}: has {} bytes of weights, the program needs {}; compile the model "
         "again",
         filePath, header.payload_bytes, payloadBytes);
  // The sum in weightsFileBytes() wraps around if the number of bytes is huge;
  // then the first comparison fails.
  if (uint64_t whole = weightsFileBytes(payloadBytes);
      file.size() < payloadBytes || file.size() != whole)
    fail(
        "{}: has {} bytes, a whole one has {}; the copy is incomplete, copy it "
        "again",
        filePath, file.size(), whole);
  start = file.data() + TRANSFOLD_WEIGHTS_PAYLOAD;
  size = payloadBytes;
  checksums = file.subspan(TRANSFOLD_WEIGHTS_PAYLOAD + payloadBytes +
                           paddingOfWeights(payloadBytes));
}

void WeightsFile::check() const {
  uint64_t damaged = 0, first = 0;
  for (uint64_t block = 0, at = 0; at < size;
       ++block, at += TRANSFOLD_WEIGHTS_BLOCK) {
    uint64_t expected;
    std::memcpy(&expected, checksums.data() + block * sizeof expected,
                sizeof expected);
    uint64_t count = std::min<uint64_t>(TRANSFOLD_WEIGHTS_BLOCK, size - at);
    if (checksum(bytes().subspan(at, count)) != expected && damaged++ == 0)
      first = start - mapping.bytes().data() + at;
  }
  if (damaged)
    fail("{}: the weights are damaged: {} of {} blocks of {} bytes are not as "
         "they were written, the first from byte {} on; copy the file again, "
         "or compile the model again",
         filePath, damaged, checksums.size() / sizeof(uint64_t),
         TRANSFOLD_WEIGHTS_BLOCK, first);
}

void WeightsFile::checkUnchanged() const {
  if (!mapping.isChanged())
    return;
  const char *remedy = "start the program again, and replace weights by "
                       "renaming a new file (mv), not by writing into the one "
                       "that is in use (cp)";
  if (mapping.bytesThere() != mapping.bytes().size())
    fail("{}: was modified while it was in use: it had {} bytes, and now has "
         "{}; {}",
         filePath, mapping.bytes().size(), mapping.bytesThere(), remedy);
  // The same bytes may have been written again.
  transfold_weights_header header;
  std::memcpy(&header, start - TRANSFOLD_WEIGHTS_PAYLOAD, sizeof header);
  if (std::memcmp(header.magic, TRANSFOLD_WEIGHTS_MAGIC, 8) != 0 ||
      std::memcmp(header.hash, hash.data(), sizeof header.hash) != 0)
    fail("{}: was modified while it was in use, and is another file now; {}",
         filePath, remedy);
  check();
  mapping.accept();
}

bool isWeightsFile(const std::string &path) {
  char magic[8] = {};
  std::error_code error;
  if (!std::filesystem::is_regular_file(
          std::filesystem::symlink_status(path, error)))
    return false;
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::memcmp(magic, TRANSFOLD_WEIGHTS_MAGIC, sizeof magic) == 0;
}

uint64_t paddingOfWeights(uint64_t payloadBytes) {
  return -payloadBytes % sizeof(uint64_t);
}

uint64_t weightsFileBytes(uint64_t payloadBytes) {
  uint64_t blocks = payloadBytes / TRANSFOLD_WEIGHTS_BLOCK +
                    (payloadBytes % TRANSFOLD_WEIGHTS_BLOCK != 0);
  return TRANSFOLD_WEIGHTS_PAYLOAD + payloadBytes +
         paddingOfWeights(payloadBytes) + blocks * sizeof(uint64_t);
}

void WeightsFile::letGo() const {
  // Generated weights have no file from which they could be read again.
  if (size && !filePath.empty())
    ::madvise(const_cast<uint8_t *>(start), size, MADV_DONTNEED);
}

std::span<const uint8_t> WeightsFile::embedded() const {
  std::span<const uint8_t> file = mapping.bytes();
  transfold_weights_trailer trailer;
  if (file.size() < sizeof trailer)
    return {};
  size_t end = file.size() - sizeof trailer;
  std::memcpy(&trailer, file.data() + end, sizeof trailer);
  if (std::memcmp(trailer.magic, TRANSFOLD_TRAILER_MAGIC, 8) != 0)
    return {};
  if (trailer.offset > end || trailer.size != end - trailer.offset ||
      trailer.offset % TRANSFOLD_WEIGHTS_PAYLOAD != 0)
    fail("{}: the weights at its end are damaged; compile the model again",
         filePath);
  return file.subspan(trailer.offset, trailer.size);
}

std::string executablePath() {
  std::error_code error;
  std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe", error);
  // If /proc is not mounted, use the name with which the program was started.
  // The kernel gives a number: NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto *started = reinterpret_cast<const char *>(::getauxval(AT_EXECFN));
  if (error && started)
    path = std::filesystem::canonical(started, error);
  if (error)
    fail("cannot find the program's own file (/proc/self/exe): {}",
         error.message());
  return path.string();
}

} // namespace transfold::runtime::inline weights
