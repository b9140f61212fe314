// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a sequence's states at earlier positions, to which it can go back.
//
// A state of a recurrence is that of the last position. A conversation goes
// back when the prompt of the next turn differs from what was computed: because
// its template omits the reasoning of earlier answers, or because a message was
// edited. Without a copy all tokens would be computed again.
//
// Copies are made where the number of tokens is a multiple of 64. The
// next-to-last step of a prompt ends at the last such position before its end
// (Steps::partOf). So after an answer of any length, the sequence can go back
// to at most 64 tokens before the end of the prompt.
//
// Of the copies of prompts at most six stay. Their distances grow with the
// distance from the end: going back to any position computes a part of the
// tokens after it again, as many as lie between two copies. Of an answer, the
// last two stay; when the next prompt begins, the last one becomes one of the
// prompts.

#pragma once

#include "runtime/steps/CacheLayout.h"

#include <memory>
#include <vector>

namespace transfold::runtime::inline steps {

/// The kept states of one sequence. All lengths are numbers of tokens.
class KeptStates {
public:
  /// Distance of the positions at which states are kept.
  static constexpr int64_t spacing = 64;
  /// Largest number of copies of a prompt, and of what follows it.
  static constexpr size_t mostOfPrompt = 6, mostOfAnswer = 2;

  /// Number of bytes of one copy.
  static int64_t bytesOf(const CacheLayout &layout);

  /// Keeps the states of a sequence of `length` tokens, whose caches begin at
  /// `data`. `isPrompt`: the last step had several tokens.
  void keep(const CacheLayout &layout, const uint8_t *data, int64_t length,
            bool isPrompt);
  /// Called before the copies of a prompt that follows an answer.
  void endAnswer();
  /// The largest length up to `length` whose states are kept; 0 if there is
  /// none.
  int64_t before(int64_t length) const;
  /// Copies the states of `length` tokens, which are kept, to the caches, and
  /// forgets those of more tokens.
  void restore(const CacheLayout &layout, uint8_t *data, int64_t length);
  void clear();

private:
  struct Copy {
    int64_t length;
    /// Sequences that were copied from each other share it.
    std::shared_ptr<const std::vector<uint8_t>> bytes;
  };
  /// In ascending order of lengths; those of the answer come after those of the
  /// prompt.
  std::vector<Copy> ofPrompt, ofAnswer;

  void thinPrompt();
};

} // namespace transfold::runtime::inline steps
