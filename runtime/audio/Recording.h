// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording at the sample rate of the model. Files are mapped, and samples
// are computed on demand: hours occupy no more memory than seconds.

#pragma once

#include "base/files/input/FileMapping.h"
#include "runtime/audio/Resampler.h"
#include "runtime/audio/Wav.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::inline audio {

/// May be used by any number of threads.
class Recording {
public:
  /// From a file; "-" is standard input, which is read to its end. `rate` is
  /// the model's, in samples per second. Throws Error, as all of these
  /// functions do.
  static Recording ofFile(const std::string &path, int64_t rate);
  /// From the bytes of a file named `name`.
  static Recording ofBytes(std::string bytes, const std::string &name,
                           int64_t rate);
  /// From samples in [-1, 1], at `given` samples per second.
  static Recording ofSamples(std::vector<float> samples, int64_t given,
                             int64_t rate);

  /// Samples per second, and number of samples.
  int64_t rate() const { return wanted; }
  int64_t samples() const;
  /// Problems of the file (WavFile).
  const std::vector<std::string> &warnings() const { return file->warnings(); }
  /// Duration, at the model's rate.
  double seconds() const {
    return static_cast<double>(samples()) / static_cast<double>(wanted);
  }
  /// Reads samples from `first` ≥ 0 on; zeros after the last.
  void read(int64_t first, std::span<float> to) const;

private:
  // One of the first three members owns the bytes that `file` refers to; moving
  // them does not move the bytes.
  FileMapping mapping;
  std::unique_ptr<const std::string> content;
  std::vector<float> numbers;
  std::optional<WavFile> file;
  std::optional<Resampler> resampler; // if the rates differ
  /// The model's sample rate, in samples per second.
  int64_t wanted = 0;

  /// Sets `file`, `wanted` and, if needed, `resampler`.
  void open(WavFile given, int64_t rate);
};

} // namespace transfold::runtime::inline audio
