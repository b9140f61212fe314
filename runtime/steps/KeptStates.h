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

#include <functional>
#include <memory>
#include <vector>

namespace transfold::runtime::inline steps {

/// The kept states of one sequence. All lengths are numbers of tokens. The
/// copies lie where the caches lie, so that HostCaches and DeviceCaches make
/// and read them.
class KeptStates {
public:
  /// A copy. Sequences that were copied from each other share it.
  using Bytes = std::shared_ptr<const void>;
  /// Distance of the positions at which states are kept.
  static constexpr int64_t spacing = 64;
  /// Largest number of copies of a prompt, and of what follows it.
  static constexpr size_t mostOfPrompt = 6, mostOfAnswer = 2;

  /// Rows of one member of a cache that belong to a copy.
  struct Rows {
    size_t cache;
    int64_t member, first, count;
  };
  /// What the copy of a sequence of `length` tokens consists of, in the order
  /// of its bytes.
  static std::vector<Rows> rowsOf(const CacheLayout &layout, int64_t length);
  /// Largest number of bytes of one copy.
  static int64_t bytesOf(const CacheLayout &layout);

  /// Called after a step from `before` to `length` tokens. If its states are to
  /// be kept, calls `copy`, which returns null if there is no memory for that.
  void grow(int64_t before, int64_t length, const std::function<Bytes()> &copy);
  /// The largest length up to `length` whose states are kept; 0 if there is
  /// none.
  int64_t before(int64_t length) const;
  /// The copy of `length` tokens, which are kept; forgets those of more tokens.
  const void *goBackTo(int64_t length);
  void clear();

private:
  struct Copy {
    int64_t length;
    Bytes bytes;
  };
  /// In ascending order of lengths; those of the answer come after those of the
  /// prompt.
  std::vector<Copy> ofPrompt, ofAnswer;

  void keep(int64_t length, bool isPrompt, Bytes bytes);
  void endAnswer();
  void thinPrompt();
};

} // namespace transfold::runtime::inline steps
