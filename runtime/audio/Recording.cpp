// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects the source of a recording (a mapped file, bytes or samples in
// memory) with the reader of WAV files and the resampler. Nothing is converted
// in advance: read() decodes and resamples only the samples that it is asked
// for.

#include "runtime/audio/Recording.h"

#include "base/Error.h"
#include "base/files/input/WholeFile.h"
#include "runtime/audio/FileKinds.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace transfold::runtime::inline audio {

namespace {

/// Reads standard input to its end, in pieces of 1 MiB. A pipe cannot be
/// mapped, so that its content occupies memory, and is limited to 8 GiB. Throws
/// Error.
std::string readStandardInput() {
  constexpr size_t part = 1 << 20, most = size_t{1} << 33;
  std::string content;
  for (size_t size = 0;;) {
    if (size > most)
      fail("{}: has more than {} GiB; give a file, which need not be held in "
           "memory",
           standardInput, most >> 30);
    content.resize(size + part);
    ssize_t count = ::read(STDIN_FILENO, &content[size], part);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      fail("{}: {}", standardInput, std::strerror(errno));
    size += static_cast<size_t>(count);
    if (count == 0) {
      content.resize(size);
      return content;
    }
  }
}

/// The bytes of a text, without a copy; `content` must outlive the result.
std::span<const uint8_t> bytesOf(const std::string &content) {
  return {reinterpret_cast<const uint8_t *>(content.data()), content.size()};
}

} // namespace

/// Completes a recording whose bytes are in place. The resampler exists only if
/// the rates differ, so that samples at the model's rate pass unchanged.
void Recording::open(WavFile given, int64_t rate) {
  file.emplace(std::move(given));
  wanted = rate;
  if (file->rate() != rate)
    resampler.emplace(file->rate(), rate);
}

Recording Recording::ofFile(const std::string &path, int64_t rate) {
  if (path == "-")
    return ofBytes(readStandardInput(), standardInput, rate);
  Recording result;
  result.mapping = wholeFile(path, SIZE_MAX);
  result.open(WavFile(result.mapping.bytes(), path), rate);
  return result;
}

Recording Recording::ofBytes(std::string bytes, const std::string &name,
                             int64_t rate) {
  Recording result;
  // On the heap: the bytes of a short std::string lie in the object itself and
  // would move with the Recording, while `file` refers to them.
  result.content = std::make_unique<const std::string>(std::move(bytes));
  result.open(WavFile(bytesOf(*result.content), name), rate);
  return result;
}

Recording Recording::ofSamples(std::vector<float> samples, int64_t given,
                               int64_t rate) {
  Recording result;
  result.numbers = std::move(samples);
  result.open(WavFile(result.numbers, given, "the recording"), rate);
  return result;
}

int64_t Recording::samples() const {
  return resampler ? resampler->samples(file->samples()) : file->samples();
}

void Recording::read(int64_t first, std::span<float> to) const {
  if (!resampler)
    return file->read(first, to);
  // Past the end, the filter would produce an echo of the last samples.
  auto left = std::max<int64_t>(samples() - first, 0);
  auto there = std::min(to.size(), static_cast<size_t>(left));
  resampler->make(
      first, to.first(there),
      [this](int64_t from, std::span<float> old) { file->read(from, old); });
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(there), to.end(), 0.0f);
}

} // namespace transfold::runtime::inline audio
