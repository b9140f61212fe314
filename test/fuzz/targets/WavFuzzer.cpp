// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as a recording: all of its samples can be read, from any
// position, and are between -1 and 1.

#include "base/Error.h"
#include "runtime/audio/Recording.h"
#include "test/fuzz/targets/Input.h"

#include <algorithm>
#include <cmath>

using namespace transfold;

/// Reads all samples, and beyond both ends.
static void readAll(const runtime::WavFile &file) {
  std::vector<float> samples(1024);
  for (int64_t first = -100; first < file.samples() + 100;
       first += static_cast<int64_t>(samples.size())) {
    file.read(first, samples);
    fuzz::require(
        std::ranges::all_of(samples, [](float x) { return std::abs(x) <= 1; }),
        "samples lie between -1 and 1");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    runtime::WavFile file({data, size}, "input.wav");
    fuzz::require(static_cast<uint64_t>(file.samples()) <= size,
                  "the samples lie in the file");
    readAll(file);
    if (file.rate() != 8000)
      return 0;
    auto recording = runtime::Recording::ofBytes(
        std::string(fuzz::textOf(data, size)), "input.wav", 16000);
    std::vector<float> samples(256);
    recording.read(std::max<int64_t>(recording.samples() - 100, 0), samples);
  } catch (const Error &) {
  }
  return 0;
}
