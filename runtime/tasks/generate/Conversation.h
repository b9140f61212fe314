// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_TASKS_GENERATE_CONVERSATION_H
#define TRANSFOLD_RUNTIME_TASKS_GENERATE_CONVERSATION_H

#include "runtime/chat/Render.h"

#include <string>
#include <string_view>

namespace transfold::runtime {

/// A conversation as JSON: a list of messages, or an object with "messages"
/// and, if there are, "tools", "add_generation_prompt" and what else the
/// template may ask for. Throws Error with `place`, where the text comes from;
/// also where a message has no role or no content: a name that nobody reads
/// would be a conversation that nobody meant.
chat::Conversation parseConversation(std::string_view text,
                                     const std::string &place);

/// {"role": …, "content": …}
nlohmann::ordered_json messageOf(const char *role, const std::string &text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_GENERATE_CONVERSATION_H
