// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording at the rate that a model hears. Files are mapped, and their
// samples made when they are asked for: hours take no more memory than seconds.

#ifndef TRANSFOLD_RUNTIME_AUDIO_RECORDING_H
#define TRANSFOLD_RUNTIME_AUDIO_RECORDING_H

#include "runtime/audio/Resampler.h"
#include "runtime/audio/Wav.h"
#include "runtime/files/input/FileMapping.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

/// For any number of threads.
class Recording {
public:
  /// Of a file; "-" is standard input, which is read to its end. `rate` is the
  /// model's, in samples a second. Throws Error, as all of these do.
  static Recording ofFile(const std::string &path, int64_t rate);
  /// Of the bytes of a file that is called `name`.
  static Recording ofBytes(std::string bytes, const std::string &name,
                           int64_t rate);
  /// Of samples in [-1, 1], `given` of them a second.
  static Recording ofSamples(std::vector<float> samples, int64_t given,
                             int64_t rate);

  /// Samples a second, and how many there are.
  int64_t rate() const { return wanted; }
  int64_t samples() const;
  /// What is wrong with its file (WavFile).
  const std::vector<std::string> &warnings() const { return file->warnings(); }
  double seconds() const {
    return static_cast<double>(samples()) / static_cast<double>(wanted);
  }
  /// Those from `first` ≥ 0 on; zeros behind the last.
  void read(int64_t first, std::span<float> to) const;

private:
  // One of them holds what the file below refers to; moving them moves no
  // bytes.
  FileMapping mapping;
  std::unique_ptr<const std::string> content;
  std::vector<float> numbers;
  std::optional<WavFile> file;
  std::optional<Resampler> resampler; // where the rates differ
  int64_t wanted = 0;

  void open(WavFile given, int64_t rate);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_AUDIO_RECORDING_H
