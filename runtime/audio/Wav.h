// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WAV files: RIFF/WAVE as Microsoft and IBM described it in 1991, WAVE_FORMAT_
// EXTENSIBLE, and RF64/BW64 (EBU Tech 3306, ITU-R BS.2088) for what is larger
// than 4 GiB. Samples are integers of 8 to 32 bits, or float32 and float64.

#ifndef TRANSFOLD_RUNTIME_AUDIO_WAV_H
#define TRANSFOLD_RUNTIME_AUDIO_WAV_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

class WavFile {
public:
  /// Rates between which recordings are taken, in samples a second.
  static constexpr int64_t leastRate = 1000, mostRate = 768000;

  /// Reads the header. The bytes are used as long as this is; `name` is for
  /// messages. Where the header was never corrected, or the end is missing, the
  /// samples are those that are there, as FFmpeg has it, and warnings() says
  /// so. Throws Error where it is no WAV file, or one that is written
  /// otherwise, and says how to make one of it.
  WavFile(std::span<const uint8_t> bytes, std::string name);
  /// Samples of one channel that somebody else has, at `rate`.
  WavFile(std::span<const float> samples, int64_t rate, std::string name);

  /// Samples a second.
  int64_t rate() const { return samplesPerSecond; }
  /// Samples of each channel.
  int64_t samples() const {
    return static_cast<int64_t>(data.size() / blockBytes());
  }
  int64_t channels() const { return channelCount; }
  /// What is wrong with the file, a message each.
  const std::vector<std::string> &warnings() const { return problems; }

  /// The mean of all channels, in [-1, 1], from sample `first` on, and zeros
  /// before the first sample of all and behind the last. Throws Error where a
  /// sample is no number.
  void read(int64_t first, std::span<float> to) const;

private:
  std::string name;
  std::vector<std::string> problems;
  std::span<const uint8_t> data; // of the samples; those of a time in turn
  int64_t samplesPerSecond = 0, channelCount = 0;
  size_t sampleBytes = 0; // of one channel
  bool areFloats = false;

  size_t blockBytes() const {
    return sampleBytes * static_cast<size_t>(channelCount);
  }
  struct Container;
  void readHeader(std::span<const uint8_t> bytes);
  void readData(const Container &container, size_t place);
  void readFormat(std::span<const uint8_t> chunk);
  template <typename Decode>
  void readBlocks(int64_t first, std::span<float> to, Decode decode) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_AUDIO_WAV_H
