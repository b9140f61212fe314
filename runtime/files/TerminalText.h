// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What files and models say, on a terminal: control characters would move its
// cursor, change its title or answer for the user, and marks of direction would
// show other text than there is. Both are written as escapes.

#ifndef TRANSFOLD_RUNTIME_FILES_TERMINALTEXT_H
#define TRANSFOLD_RUNTIME_FILES_TERMINALTEXT_H

#include <string>
#include <string_view>

namespace transfold::runtime {

/// A text that comes piece by piece, of which one may end in the middle of a
/// character.
class TerminalText {
public:
  /// What of it can be shown now.
  std::string shown(std::string_view piece);
  /// What no more pieces follow.
  std::string rest();

private:
  std::string begun; // bytes of a character that is not complete
};

/// All of it: control characters but for the ends of lines and tabs are \x1b,
/// marks of direction \u202e, and bytes that are not UTF-8 \xff.
std::string shownOnTerminal(std::string_view text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_TERMINALTEXT_H
