// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of characters as expressions write them, with sets in them and
// intersections, and what instructions compare characters with.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CHARACTERTREE_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CHARACTERTREE_H

#include "runtime/tokenizer/Pattern.h"

#include <vector>

namespace transfold::tokenizer {

/// "[ab[c-e]&&[^d]]": what is in one of the classes or sets, and in all that it
/// is intersected with.
struct CharacterTree {
  std::vector<runtime::CharacterClass> classes;
  std::vector<CharacterTree> sets, intersected;
  bool negated = false;

  void add(runtime::CharacterClass one) { classes.push_back(std::move(one)); }
  /// Adds its members where that is the same.
  void add(CharacterTree set);
};

/// The same set; with `anyCase`, what differs from a member in case only is
/// one, too. Nested and intersected ones become ranges, for which each
/// character of Unicode is asked, some 50 ms.
runtime::CharacterSet characterSet(const CharacterTree &tree, bool anyCase);
/// Whether `characterSet` asks each character.
bool isNested(const CharacterTree &tree);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CHARACTERTREE_H
