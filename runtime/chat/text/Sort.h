// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A merge sort for values from templates. std::stable_sort is undefined if its
// comparison is inconsistent, and its memory would not count.

#pragma once

#include "runtime/chat/text/Counted.h"

#include <algorithm>
#include <iterator>

namespace transfold::runtime::chat {

/// Stable sort by `comesBefore`, which may throw and may be inconsistent, as
/// with NaN: merging never reads out of range, whatever it returns.
template <typename T, typename Before>
void sortStably(CountedVector<T> &items, const Before &comesBefore) {
  CountedVector<T> merged;
  for (size_t run = 1; run < items.size(); run *= 2) {
    merged.clear();
    merged.reserve(items.size());
    for (size_t begin = 0; begin < items.size(); begin += 2 * run) {
      size_t middle = std::min(begin + run, items.size()), a = begin,
             b = middle, end = std::min(middle + run, items.size());
      while (a < middle && b < end)
        merged.push_back(comesBefore(items[b], items[a])
                             ? std::move(items[b++])
                             : std::move(items[a++]));
      auto move = [&](size_t from, size_t to) {
        std::move(items.begin() + static_cast<std::ptrdiff_t>(from),
                  items.begin() + static_cast<std::ptrdiff_t>(to),
                  std::back_inserter(merged));
      };
      move(a, middle);
      move(b, end);
    }
    items.swap(merged);
  }
}

} // namespace transfold::runtime::chat
