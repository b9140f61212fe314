// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of characters as expressions write them, with nested sets and
// intersections, and their conversion to the sets that instructions match.

#pragma once

#include "runtime/tokenizer/characters/Pattern.h"

#include <vector>

namespace transfold::tokenizer {

/// "[ab[c-e]&&[^d]]": the characters that are in one of the classes or sets,
/// and also in all sets that it is intersected with.
struct CharacterTree {
  std::vector<runtime::CharacterClass> classes;
  std::vector<CharacterTree> sets, intersected;
  bool negated = false;

  /// Adds the members of a class.
  void add(runtime::CharacterClass one) { classes.push_back(std::move(one)); }
  /// Adds a set; only its members if that is equivalent.
  void add(CharacterTree set);
};

/// Converts to a set of the runtime; with `anyCase`, characters that differ
/// from a member only in case are members, too. Nested and intersected sets
/// become ranges, for which each character of Unicode is tested, in some 50 ms.
runtime::CharacterSet characterSet(const CharacterTree &tree, bool anyCase);
/// Whether `characterSet` has to test each character.
bool isNested(const CharacterTree &tree);

} // namespace transfold::tokenizer
