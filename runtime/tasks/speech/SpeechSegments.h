// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the tokens of a window of a recording into segments of text with their
// times, and determines where the next window begins. Follows Whisper's
// implementation (whisper/transcribe.py).

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime::inline tasks {

/// Times are in steps from the beginning of the window.
struct WindowSegment {
  int64_t begin, end;
  std::vector<int32_t> tokens; // without times and end tokens
};

/// The segments of a window.
struct WindowSegments {
  std::vector<WindowSegment> segments;
  /// Start of the next window, in steps, at least 1.
  int64_t next;
};

/// Splits the generated tokens, without the end token; tokens from `times` on
/// are times, `times` itself is time 0. The window has `length` steps, at least
/// 1. A segment without an end is transcribed again in the next window.
WindowSegments segmentsOf(std::span<const int32_t> tokens, int32_t times,
                          int64_t length);

} // namespace transfold::runtime::inline tasks
