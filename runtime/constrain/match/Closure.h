// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be read next: enters and leaves rules until all items read bytes.

#pragma once

#include "runtime/constrain/grammar/Grammar.h"
#include "runtime/constrain/match/ItemSets.h"

#include <queue>

namespace transfold::runtime::inline constrain {

/// Computes sets of items. For each, call begin(), the functions that add to
/// it, and finish().
class Closure {
public:
  /// `stacks` numbers the sets that go on after rules.
  Closure(const Grammar &grammar, ItemSets &stacks);

  void begin();
  /// The text is in an item, which reads bytes.
  void add(const MatchItem &item) { result.push_back(item); }
  /// The text has come to a node, whose rule is followed by `after`.
  void enter(uint32_t node, uint32_t after) {
    open.push_back({node, 0, after});
  }
  /// The text begins with the grammar's root.
  void enterRoot(uint32_t after);
  /// The sorted items; valid until the next call of begin().
  std::span<const MatchItem> finish();

private:
  struct Visit {
    uint32_t node, count, after;
    /// Nothing was read since the rule began: its end is not followed, since
    /// callers of a rule that can be empty pass it (Analysis.cpp).
    bool isFresh = false;
  };
  const Grammar &grammar;
  ItemSets &stacks;
  std::vector<MatchItem> result;
  std::vector<Visit> open;

  /// The items after each rule that is called, and the rules in order of their
  /// ranks: a rule is entered when all of its callers are known.
  std::vector<std::vector<MatchItem>> callers;
  std::priority_queue<std::pair<uint32_t, uint32_t>,
                      std::vector<std::pair<uint32_t, uint32_t>>,
                      std::greater<>>
      called;

  /// Visits of this closure, in a list for each node.
  struct Visited {
    Visit visit;
    uint32_t before;
  };
  std::vector<Visited> visited;
  std::vector<uint32_t> lastOf; // by node, valid if it has this closure's mark
  std::vector<uint32_t> marks;
  uint32_t mark = 0;

  bool isNew(const Visit &visit);
  void follow(const Visit &visit);
  void leave(const Visit &visit);
  void call(uint32_t rule, const MatchItem &after);
  void run();
};

} // namespace transfold::runtime::inline constrain
