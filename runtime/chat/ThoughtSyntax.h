// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a model writes thoughts before an answer, found from its template as the
// syntax of calls is (CallSyntax.h).

#pragma once

#include "runtime/chat/Nodes.h"

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace transfold::runtime::chat {

/// The marks around a thought, such as "<think>" and "</think>", without white
/// space around them. Neither is empty.
struct ThoughtSyntax {
  std::string before, after;

  /// Whether a prompt ends with the beginning of a thought.
  bool isBegunBy(std::string_view prompt) const;
};

/// Finds the marks; nullopt if the template does not write the thoughts of the
/// last answer, or nothing separates them from it.
std::optional<ThoughtSyntax> findThoughtSyntax(const TemplateProgram &program,
                                               std::tm time);

} // namespace transfold::runtime::chat
