// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tokens of a window of a recording say: pieces of text with the times
// at which they were spoken, and where the next window begins. As Whisper's own
// program cuts them (whisper/transcribe.py).

#ifndef TRANSFOLD_RUNTIME_TASKS_SPEECH_SPEECHSEGMENTS_H
#define TRANSFOLD_RUNTIME_TASKS_SPEECH_SPEECHSEGMENTS_H

#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime {

/// Times are in steps from the beginning of the window.
struct WindowSegment {
  int64_t begin, end;
  std::vector<int32_t> tokens; // without times and ends
};

struct WindowSegments {
  std::vector<WindowSegment> segments;
  /// Where the next window begins, at least 1.
  int64_t next;
};

/// Of the tokens that were made, without the end of the text; those from
/// `times` on are times, `times` itself is 0. The window has `length` steps,
/// 1 at least. A piece without its end is said again in the next window.
WindowSegments segmentsOf(std::span<const int32_t> tokens, int32_t times,
                          int64_t length);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_SPEECH_SPEECHSEGMENTS_H
