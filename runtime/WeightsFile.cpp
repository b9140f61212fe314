// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/WeightsFile.h"

#include "runtime/Error.h"
#include "runtime/WeightsFormat.h"

#include <cstring>
#include <filesystem>
#include <sys/mman.h>

namespace transfold::runtime {

WeightsFile::WeightsFile(const std::string &executable, uint64_t payloadBytes,
                         const std::string &hash) {
  if (payloadBytes == 0)
    return;
  filePath = executable;
  mapping = FileMapping(executable);
  std::span<const uint8_t> file = embedded();
  if (file.empty()) {
    filePath = executable + ".weights";
    std::error_code ignored;
    if (!std::filesystem::exists(filePath, ignored))
      fail("{}: not found; the weights lie beside the program, under its name "
           "and .weights: move both together, or compile with "
           "--embed-weights",
           filePath);
    mapping = FileMapping(filePath);
    file = mapping.bytes();
  }

  transfold_weights_header header;
  if (file.size() < TRANSFOLD_WEIGHTS_PAYLOAD)
    fail("{}: is too short for a weights file; compile the model again",
         filePath);
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, TRANSFOLD_WEIGHTS_MAGIC, 8) != 0)
    fail("{}: is not a weights file; compile the model again", filePath);
  if (header.version != 1)
    fail("{}: has version {} of the weights format; this program reads "
         "version 1",
         filePath, header.version);
  if (hash.size() != sizeof header.hash ||
      std::memcmp(header.hash, hash.data(), sizeof header.hash) != 0)
    fail("{}: belongs to another program; use the two files that one "
         "compilation made",
         filePath);
  uint64_t present = file.size() - TRANSFOLD_WEIGHTS_PAYLOAD;
  if (header.payload_bytes != payloadBytes || present != payloadBytes)
    fail("{}: has {} bytes of weights, the program needs {}; the copy is "
         "incomplete, copy it again",
         filePath, present, payloadBytes);
  start = file.data() + TRANSFOLD_WEIGHTS_PAYLOAD;
  size = present;

  // Ask for the pages now: they are read while the tokenizer is being made.
  ::madvise(const_cast<uint8_t *>(file.data()), file.size(), MADV_WILLNEED);
}

void WeightsFile::letGo() const {
  if (size)
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
  if (error)
    fail("cannot find the program's own file (/proc/self/exe): {}",
         error.message());
  return path.string();
}

} // namespace transfold::runtime
