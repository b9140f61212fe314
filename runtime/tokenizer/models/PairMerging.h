// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the parts of a word in pairs: always the best pair next, of equal ones
// the leftmost. The model defines which pair is best.

#pragma once

#include "runtime/tokenizer/tables/Patience.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// A part of a word; parts form a linked list, since most of them disappear.
struct Part {
  int32_t id;     // -1: not a token
  uint32_t begin; // byte offset in the word
  uint32_t bytes; // 0: joined to the preceding part
  int32_t before, after;
};

/// The parts of one word.
class Parts {
public:
  std::vector<Part> list;

  /// Appends a part to the word.
  void append(int32_t id, size_t begin, size_t bytes) {
    auto at = static_cast<int32_t>(list.size());
    if (at > 0)
      list.back().after = at;
    list.push_back({id, static_cast<uint32_t>(begin),
                    static_cast<uint32_t>(bytes), at - 1, -1});
  }

  /// The result of joining two adjacent parts, and its rank: a smaller rank is
  /// joined earlier.
  template <typename Rank> struct Merge {
    Rank rank;
    int32_t id;
  };

  /// Joins parts as long as `merge(left, right)` returns a Merge<Rank>.
  template <typename Rank, typename Function> void join(Function merge);
};

template <typename Rank, typename Function> void Parts::join(Function merge) {
  struct Candidate {
    Rank rank;
    int32_t at, id;
    bool operator>(const Candidate &other) const {
      return std::pair(rank, at) > std::pair(other.rank, other.at);
    }
  };
  // Candidates are not removed when a neighbor changes: an outdated one is
  // recognized when it is taken. Each join adds at most two, so that there are
  // O(n) of them.
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  auto part = [&](int32_t at) -> Part & {
    return list[static_cast<size_t>(at)];
  };
  auto consider = [&](int32_t at) {
    Patience::step();
    if (at < 0 || part(at).after < 0)
      return;
    std::optional<Merge<Rank>> found = merge(part(at), part(part(at).after));
    if (found)
      queue.push({found->rank, at, found->id});
  };
  for (size_t i = 0; i < list.size(); ++i)
    consider(static_cast<int32_t>(i));
  while (!queue.empty()) {
    Candidate best = queue.top();
    queue.pop();
    Part &left = part(best.at);
    if (left.bytes == 0 || left.after < 0)
      continue;
    Part &right = part(left.after);
    // The pair may have changed meanwhile.
    std::optional<Merge<Rank>> current = merge(left, right);
    if (!current || current->id != best.id)
      continue;
    left.id = best.id;
    left.bytes += right.bytes;
    left.after = right.after;
    right.bytes = 0;
    if (left.after >= 0)
      part(left.after).before = best.at;
    consider(left.before);
    consider(best.at);
  }
}

} // namespace transfold::runtime::inline tokenizer
