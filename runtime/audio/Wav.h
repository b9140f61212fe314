// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WAV files: RIFF/WAVE as described by Microsoft and IBM in 1991,
// WAVE_FORMAT_EXTENSIBLE, and RF64/BW64 (EBU Tech 3306, ITU-R BS.2088) for
// files larger than 4 GiB. Samples are integers of 8 to 32 bits, or float32 and
// float64.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::inline audio {

/// A WAV file in memory.
class WavFile {
public:
  /// Range of accepted sample rates, in samples per second.
  static constexpr int64_t leastRate = 1000, mostRate = 768000;

  /// Reads the header. The bytes must outlive this object; `name` is for
  /// messages. If the size in the header was never corrected, or the end of the
  /// file is missing, all existing samples are used, as FFmpeg does, with a
  /// warning in warnings(). Throws Error if it is not a WAV file or has an
  /// unsupported encoding; the message contains a command that converts it.
  WavFile(std::span<const uint8_t> bytes, std::string name);
  /// One channel of samples in memory, which must outlive this object, at
  /// `rate`.
  WavFile(std::span<const float> samples, int64_t rate, std::string name);

  /// Samples per second.
  int64_t rate() const { return samplesPerSecond; }
  /// Number of samples of each channel.
  int64_t samples() const {
    return static_cast<int64_t>(data.size() / blockBytes());
  }
  /// Number of channels of the file, at least 1; read() mixes them.
  int64_t channels() const { return channelCount; }
  /// Problems of the file, one message each.
  const std::vector<std::string> &warnings() const { return problems; }

  /// Reads the mean of all channels, in [-1, 1], from sample `first` on; zeros
  /// before the first and after the last sample. Throws Error if a sample is
  /// NaN.
  void read(int64_t first, std::span<float> to) const;

private:
  /// For messages: the path, or what the recording is called instead.
  std::string name;
  std::vector<std::string> problems;
  /// The bytes of the samples; channels are interleaved.
  std::span<const uint8_t> data;
  int64_t samplesPerSecond = 0, channelCount = 0;
  size_t sampleBytes = 0; // bytes of a sample of one channel
  bool areFloats = false;

  /// Bytes of one sample of all channels.
  size_t blockBytes() const {
    return sampleBytes * static_cast<size_t>(channelCount);
  }
  /// What the outermost chunk says about sizes.
  struct Container;
  /// Reads the chunks up to the samples. Throws Error.
  void readHeader(std::span<const uint8_t> bytes);
  /// Sets `data` from the chunk 'data' at byte `place`. Throws Error.
  void readData(const Container &container, size_t place);
  /// Sets rate, channels and encoding from the content of the chunk 'fmt '.
  /// Throws Error if they are contradictory or unsupported.
  void readFormat(std::span<const uint8_t> chunk);
  /// Mixes existing samples from `first` on into `to`; `decode` converts the
  /// bytes of one sample of one channel. Throws Error if a sample is NaN.
  template <typename Decode>
  void readBlocks(int64_t first, std::span<float> to, Decode decode) const;
};

} // namespace transfold::runtime::inline audio
