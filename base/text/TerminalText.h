// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filter for output of files and models on a terminal: control characters would
// move the cursor, change the title or simulate input of the user, and
// direction marks would show other text than there is. Both are written as
// escapes.

#pragma once

#include <string>
#include <string_view>

namespace transfold {

/// A text that arrives in pieces, which may end in the middle of a character.
class TerminalText {
public:
  /// The part of the text that can be shown now.
  std::string shown(std::string_view piece);
  /// The remaining bytes, after the last piece.
  std::string rest();

private:
  std::string begun; // bytes of a character that is not complete
};

/// A whole text: control characters other than line breaks and tabs become
/// \x1b, direction marks \u202e, and bytes that are not UTF-8 \xff.
std::string shownOnTerminal(std::string_view text);

} // namespace transfold
