// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads conversations from files and requests.

#pragma once

#include "runtime/chat/Render.h"

#include <string>
#include <string_view>

namespace transfold::runtime::inline tasks {

/// Parses a conversation from JSON: a list of messages, or an object with
/// "messages" and optionally "tools", "add_generation_prompt" and other
/// variables of the template. Throws Error with `place`, the origin of the
/// text; also if a message has no role or no content, since a misspelled name
/// would otherwise be ignored silently.
chat::Conversation parseConversation(std::string_view text,
                                     const std::string &place);

/// A message: {"role": …, "content": …}.
nlohmann::ordered_json messageOf(const char *role, const std::string &text);

} // namespace transfold::runtime::inline tasks
