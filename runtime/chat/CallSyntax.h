// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a model writes calls of functions. Nothing is known of models: the
// model's own template renders answers that call functions of known names with
// known arguments, and the texts around these are the syntax.

#pragma once

#include "runtime/chat/Nodes.h"

#include <ctime>
#include <string>
#include <string_view>

namespace transfold::runtime::chat {

/// White space that may be around calls.
inline constexpr std::string_view spaceAroundCalls = " \t\r\n";

/// The text without this white space at its beginning.
std::string_view withoutLeadingSpace(std::string_view text);
/// The text without this white space at its end.
std::string_view withoutTrailingSpace(std::string_view text);
/// The text without this white space at its beginning and end.
std::string_view withoutSpaceAround(std::string_view text);

/// Whether a name of a function may have this byte: letters, digits, _ and -.
bool isOfFunctionName(char byte);

/// The calls in an answer, where ARGUMENTS is an object of JSON:
///
///   before NAME middle ARGUMENTS (between NAME middle ARGUMENTS)* after
struct CallSyntax {
  std::string space;  // white space of the template in front of `before`
  std::string before; // begins without white space
  std::string middle, between, after;
  /// This many bytes of `before` are a mark, such as "<tool_call>", that occurs
  /// in front of calls only. If it is 0, an answer that has calls begins with
  /// them.
  size_t mark = 0;
  bool hasSeveral = false; // an answer may have several calls
  /// A prompt ends with the beginning of something that precedes calls, such as
  /// a thought.
  bool followsText = false;
  /// The template expects the arguments in messages as a text, not as an
  /// object.
  bool argumentsAreText = false;
  /// The template refuses ids of calls that do not have 9 characters.
  bool hasShortIds = false;

  std::string_view markText() const {
    return std::string_view(before).substr(0, mark);
  }
};

/// Finds the syntax. Throws Error that says what prevents it: the template does
/// not show functions to the model, or writes their calls in another form.
CallSyntax findCallSyntax(const TemplateProgram &program, std::tm time);

} // namespace transfold::runtime::chat
