// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversations that show how a template writes calls: a question, the same
// with an answer that is a text, with one call, and with two.

#pragma once

#include "runtime/chat/Nodes.h"

#include <nlohmann/json.hpp>

#include <array>
#include <ctime>
#include <string>

namespace transfold::runtime::chat {

/// A function that is called: nothing of it occurs in a template by chance.
struct CallProbe {
  const char *name, *description, *longId, *shortId;
  nlohmann::ordered_json arguments;
};
const std::array<CallProbe, 2> &callProbes();

/// The text of an answer without calls.
inline constexpr std::string_view plainAnswer = "ZQX answer";

/// Renders a question, and an answer unless it is null, for a model that may
/// call `tools`. Throws Error.
std::string renderedProbe(const TemplateProgram &program, std::tm time,
                          const nlohmann::ordered_json &answer,
                          nlohmann::ordered_json tools = nullptr);

/// The size of what two texts have in common at their beginnings.
size_t commonBeginning(std::string_view a, std::string_view b);

/// Renders conversations with these functions. Throws Error.
struct CallRenderer {
  const TemplateProgram &program;
  std::tm time;
  /// The form of the arguments in messages, and of the ids of calls.
  bool argumentsAreText = false, hasShortIds = false;

  const char *idOf(const CallProbe &probe) const {
    return hasShortIds ? probe.shortId : probe.longId;
  }
  /// A question, and the beginning of an answer.
  std::string prompt() const { return rendered(nullptr); }
  std::string withText() const;
  /// The answer calls the first `count` functions.
  std::string withCalls(size_t count) const;

private:
  std::string rendered(const nlohmann::ordered_json &answer) const;
};

} // namespace transfold::runtime::chat
