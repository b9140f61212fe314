// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the chunks of a WAV file, and decodes samples where they lie. Files
// come from many programs, and some headers are wrong in known ways; what can
// be read in spite of it is read, with a warning.

#include "runtime/audio/Wav.h"

#include "base/Error.h"
#include "runtime/audio/FileKinds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace transfold::runtime::inline audio {

namespace {

/// Reads a little-endian number. The bytes must exist.
template <typename Number>
Number numberAt(std::span<const uint8_t> bytes, size_t place) {
  static_assert(std::endian::native == std::endian::little);
  Number number;
  std::memcpy(&number, &bytes[place], sizeof number);
  return number;
}

/// Whether the name of a chunk or a similar code stands at byte `place`; false
/// if the file ends before.
bool isText(std::span<const uint8_t> bytes, size_t place,
            std::string_view text) {
  return bytes.size() >= place + text.size() &&
         std::memcmp(&bytes[place], text.data(), text.size()) == 0;
}

/// Codes of the encodings in a chunk 'fmt ': WAVE_FORMAT_PCM,
/// WAVE_FORMAT_IEEE_FLOAT and WAVE_FORMAT_EXTENSIBLE.
constexpr uint16_t pcm = 1, floats = 3, extensible = 0xfffe;

/// Names of some of the encodings of RFC 2361.
std::string nameOfEncoding(uint16_t code) {
  switch (code) {
  case 0x0002:
  case 0x0011:
    return "ADPCM";
  case 0x0006:
    return "A-law";
  case 0x0007:
    return "mu-law";
  case 0x0031:
    return "GSM 6.10";
  case 0x0050:
  case 0x0055:
    return "MPEG audio";
  default:
    return fmt::format("encoding {:#06x}", code);
  }
}

/// The encoding of an extensible format: a GUID that begins with the code of
/// the plain format.
std::optional<uint16_t> subformat(std::span<const uint8_t> chunk) {
  static constexpr uint8_t rest[] = {0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80,
                                     0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71};
  if (chunk.size() < 40 || !std::ranges::equal(chunk.subspan(26, 14), rest))
    return std::nullopt;
  return numberAt<uint16_t>(chunk, 24);
}

/// A program that writes to a pipe cannot go back to set the size. Some
/// programs write the largest number, or, as sox and arecord do, one close to 2
/// GiB; some write 0, which isNeverCorrected() distinguishes from an empty
/// chunk.
bool isUnknownSize(uint64_t size) {
  return size >= 0x7fff0000 && size <= UINT32_MAX;
}

/// The position of the chunk after one of `size` bytes at `place`. Odd sizes
/// are followed by a padding byte, which some programs omit.
size_t nextChunk(std::span<const uint8_t> bytes, size_t place, size_t size) {
  size_t end = place + 8 + size;
  auto isName = [&](size_t at) {
    return bytes.size() - std::min(at, bytes.size()) >= 8 &&
           std::ranges::all_of(bytes.subspan(at, 4), [](uint8_t letter) {
             return letter >= ' ' && letter <= '~';
           });
  };
  // Without padding only if that is the sole reading in which a chunk's name
  // follows.
  bool isPadded = size % 2 != 0 && (isName(end + 1) || !isName(end));
  return std::min(end + isPadded, bytes.size());
}

} // namespace

WavFile::WavFile(std::span<const uint8_t> bytes, std::string name)
    : name(std::move(name)) {
  readHeader(bytes);
}

WavFile::WavFile(std::span<const float> samples, int64_t rate, std::string name)
    : name(std::move(name)),
      data(reinterpret_cast<const uint8_t *>(samples.data()),
           samples.size_bytes()),
      samplesPerSecond(rate), channelCount(1), sampleBytes(sizeof(float)),
      areFloats(true) {
  if (rate < leastRate || rate > mostRate)
    fail("{}: has {} samples a second; recordings have {} to {}", this->name,
         rate, leastRate, mostRate);
}

void WavFile::readFormat(std::span<const uint8_t> chunk) {
  if (chunk.size() < 16)
    fail("{}: the chunk 'fmt ' has {} bytes, and needs 16", name, chunk.size());
  auto code = numberAt<uint16_t>(chunk, 0);
  channelCount = numberAt<uint16_t>(chunk, 2);
  samplesPerSecond = numberAt<uint32_t>(chunk, 4);
  size_t block = numberAt<uint16_t>(chunk, 12);
  size_t bits = numberAt<uint16_t>(chunk, 14);
  if (code == extensible)
    code = subformat(chunk).value_or(extensible);
  if (code != pcm && code != floats)
    fail("{}: its samples are encoded as {}; only uncompressed ones are "
         "supported: {}",
         name, nameOfEncoding(code), commandToConvert(name));
  if (samplesPerSecond < leastRate || samplesPerSecond > mostRate)
    fail("{}: has {} samples a second; recordings have {} to {}", name,
         samplesPerSecond, leastRate, mostRate);
  areFloats = code == floats;
  // The size of a block determines how samples are stored: 20 or 24 bits may
  // occupy three or four bytes, with the value in the upper ones.
  sampleBytes = channelCount ? block / static_cast<size_t>(channelCount) : 0;
  // No channels give a size of 0, which is not known either.
  bool isKnown = areFloats ? sampleBytes == 4 || sampleBytes == 8
                           : sampleBytes >= 1 && sampleBytes <= 4;
  if (!isKnown || block != blockBytes() || bits == 0 || bits > 8 * sampleBytes)
    fail("{}: its header contradicts itself: {} channels of {} bits in {} "
         "bytes; this may repair it: {}",
         name, channelCount, bits, block, commandToConvert(name));
}

/// The values in the first bytes of a file.
struct WavFile::Container {
  std::span<const uint8_t> bytes;
  bool isLong;           // RF64 or BW64
  uint32_t size;         // number of bytes after the eighth
  uint64_t longSize = 0; // size of the samples, in the chunk 'ds64'
  bool hasLongSize = false;

  /// Whether the size 0 in the header of a chunk 'data', which would then end
  /// the file, is wrong because the program that wrote the file never corrected
  /// it.
  bool isNeverCorrected(size_t place) const {
    return isLong || size == 0 || isUnknownSize(size) ||
           uint64_t{size} + 8 <= place + 8;
  }
};

/// Reads the chunks before the samples: each is a name, a size, and that number
/// of bytes, padded to an even number.
void WavFile::readHeader(std::span<const uint8_t> bytes) {
  bool isLong = isText(bytes, 0, "RF64") || isText(bytes, 0, "BW64");
  if ((!isLong && !isText(bytes, 0, "RIFF")) || !isText(bytes, 8, "WAVE")) {
    std::string kind = kindOfRecording(bytes);
    fail("{}: is {}; only WAV files are supported: {}", name,
         bytes.empty()  ? "empty"
         : kind.empty() ? "not a known kind of recording"
                        : kind,
         commandToConvert(name));
  }
  Container container{bytes, isLong, numberAt<uint32_t>(bytes, 4)};
  bool hasFormat = false;
  for (size_t place = 12; bytes.size() - place >= 8;) {
    if (isText(bytes, place, "data")) {
      if (!hasFormat)
        fail("{}: has samples, but no chunk 'fmt ' before them that describes "
             "their format",
             name);
      return readData(container, place);
    }
    std::span<const uint8_t> rest = bytes.subspan(place + 8);
    auto size = numberAt<uint32_t>(bytes, place + 4);
    if (size > rest.size())
      fail("{}: is cut off before its samples: it should have {} bytes after "
           "byte {}, and has {}",
           name, size, place + 8, rest.size());
    std::span<const uint8_t> chunk = rest.first(size);
    if (isText(bytes, place, "ds64") && chunk.size() >= 16) {
      container.longSize = numberAt<uint64_t>(chunk, 8);
      container.hasLongSize = true;
    }
    if (isText(bytes, place, "fmt ")) {
      readFormat(chunk);
      hasFormat = true;
    }
    place = nextChunk(bytes, place, size);
  }
  fail("{}: has no samples: the chunk 'data' is missing", name);
}

/// Finds the samples, in the chunk at `place`: as many as its header specifies,
/// or, if that is wrong, all that exist.
void WavFile::readData(const Container &container, size_t place) {
  std::span<const uint8_t> rest = container.bytes.subspan(place + 8);
  uint64_t size = numberAt<uint32_t>(container.bytes, place + 4);
  // RF64: the 32-bit size is all ones, and the chunk 'ds64' has the right one.
  const bool isElsewhere =
      container.isLong && container.hasLongSize && size == UINT32_MAX;
  if (isElsewhere)
    size = container.longSize;
  const bool isUnknown = !isElsewhere && isUnknownSize(size);
  const bool isNeverSaid = size == 0 && container.isNeverCorrected(place);
  if (isNeverSaid && !rest.empty())
    problems.push_back(fmt::format(
        "{}: its header says that it has no samples, and was not corrected "
        "after writing; everything that follows is read as samples",
        name));
  else if (!isUnknown && size > rest.size()) {
    std::string text = fmt::format(
        "{}: is cut off: it should have {} bytes after byte {}, and has {}",
        name, size, place + 8, rest.size());
    if (rest.size() < blockBytes())
      fail("{}", text);
    problems.push_back(text + "; the samples that exist are read");
  }
  bool isAll = isUnknown || isNeverSaid || size > rest.size();
  data = isAll ? rest : rest.first(static_cast<size_t>(size));
  if (size_t left = data.size() % blockBytes(); left && problems.empty())
    problems.push_back(fmt::format(
        "{}: its last {} bytes are ignored: a sample of all channels has {}",
        name, left, blockBytes()));
}

/// Reads and mixes samples; `decode` converts the bytes of a sample to a
/// number.
template <typename Decode>
void WavFile::readBlocks(int64_t first, std::span<float> to,
                         Decode decode) const {
  const uint8_t *sample =
      data.data() + static_cast<size_t>(first) * blockBytes();
  const auto share = 1 / static_cast<double>(channelCount);
  for (float &mean : to) {
    double sum = 0;
    for (int64_t channel = 0; channel < channelCount; ++channel) {
      sum += decode(sample);
      sample += sampleBytes;
    }
    // Floats may exceed 1; they are clipped, as on playback.
    mean = static_cast<float>(std::clamp(sum * share, -1.0, 1.0));
  }
  if (!areFloats)
    return;
  for (size_t i = 0; i < to.size(); ++i)
    if (std::isnan(to[i]))
      fail("{}: sample {} is not a number", name,
           static_cast<size_t>(first) + i);
}

void WavFile::read(int64_t first, std::span<float> to) const {
  const auto count = static_cast<int64_t>(to.size());
  const int64_t begin = std::clamp<int64_t>(-first, 0, count);
  const int64_t end = std::clamp<int64_t>(samples() - first, begin, count);
  std::fill(to.begin(), to.begin() + begin, 0.0f);
  std::fill(to.begin() + end, to.end(), 0.0f);
  if (begin == end)
    return;
  first += begin;
  to = to.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  if (areFloats) {
    auto real = [](const uint8_t *from, auto number) {
      std::memcpy(&number, from, sizeof number);
      return static_cast<double>(number);
    };
    if (sampleBytes == 4)
      readBlocks(first, to,
                 [&](const uint8_t *from) { return real(from, 0.0f); });
    else
      readBlocks(first, to,
                 [&](const uint8_t *from) { return real(from, 0.0); });
  } else if (sampleBytes == 1) { // 8-bit samples are the only unsigned ones
    readBlocks(first, to,
               [](const uint8_t *from) { return (*from - 128) / 128.0; });
  } else {
    // Placed in the upper bytes of 32 bits, so that the sign bit is in place.
    readBlocks(first, to, [this](const uint8_t *from) {
      uint32_t bits = 0;
      std::memcpy(reinterpret_cast<uint8_t *>(&bits) + (4 - sampleBytes), from,
                  sampleBytes);
      return static_cast<int32_t>(bits) * 0x1p-31;
    });
  }
}

} // namespace transfold::runtime::inline audio
