// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts sets to the form that the runtime searches: sorted ranges and
// categories, and the negated classes one by one.

#include "compiler/tokenizer/pattern/CharacterTree.h"

#include <algorithm>
#include <iterator>

namespace transfold::tokenizer {

using runtime::CharacterClass;
using runtime::CharacterSet;

using Ranges = std::vector<std::pair<char32_t, char32_t>>;

/// Sorts ranges and merges adjacent ones, as the runtime's search requires.
static void sortRanges(Ranges &ranges) {
  std::ranges::sort(ranges);
  Ranges merged;
  for (const auto &[first, last] : ranges)
    if (!merged.empty() && first <= merged.back().second + 1)
      merged.back().second = std::max(merged.back().second, last);
    else
      merged.emplace_back(first, last);
  ranges = std::move(merged);
}

/// Merges all classes that are not negated into one; the others are kept
/// separately.
static CharacterSet setOf(const std::vector<CharacterClass> &classes) {
  CharacterSet set;
  for (const CharacterClass &each : classes) {
    if (each.negated) {
      set.others.push_back(each);
      sortRanges(set.others.back().ranges);
      continue;
    }
    set.own.ranges.insert(set.own.ranges.end(), each.ranges.begin(),
                          each.ranges.end());
    set.own.categories |= each.categories;
    set.own.space |= each.space;
  }
  sortRanges(set.own.ranges);
  return set;
}

void CharacterTree::add(CharacterTree set) {
  if (set.negated || isNested(set))
    return sets.push_back(std::move(set));
  std::ranges::move(set.classes, std::back_inserter(classes));
}

bool isNested(const CharacterTree &tree) {
  return !tree.sets.empty() || !tree.intersected.empty();
}

namespace {
/// A tree whose classes are prepared for fast tests.
struct Prepared {
  CharacterSet own;
  std::vector<Prepared> sets, intersected;
  bool negated;

  explicit Prepared(const CharacterTree &tree)
      : own(setOf(tree.classes)), negated(tree.negated) {
    for (const CharacterTree &each : tree.sets)
      sets.emplace_back(each);
    for (const CharacterTree &each : tree.intersected)
      intersected.emplace_back(each);
  }

  /// Whether `code` is a member before negation.
  bool hasMember(char32_t code) const {
    auto has = [&](const Prepared &set) {
      return set.hasMember(code) != set.negated;
    };
    return (own.contains(code) || std::ranges::any_of(sets, has)) &&
           std::ranges::all_of(intersected, has);
  }
};
} // namespace

CharacterSet characterSet(const CharacterTree &tree, bool anyCase) {
  CharacterSet set;
  if (!isNested(tree))
    set = setOf(tree.classes);
  // Case is ignored last, before the whole set is negated; not in nested sets.
  set.negated = tree.negated;
  set.anyCase = anyCase;
  if (!isNested(tree))
    return set;
  const Prepared prepared(tree);
  Ranges &ranges = set.own.ranges;
  for (char32_t code = 0; code <= 0x10ffff; ++code) {
    if (!prepared.hasMember(code))
      continue;
    if (ranges.empty() || ranges.back().second + 1 != code)
      ranges.emplace_back(code, code);
    else
      ranges.back().second = code;
  }
  return set;
}

} // namespace transfold::tokenizer
