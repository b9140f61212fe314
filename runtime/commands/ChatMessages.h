// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_COMMANDS_CHATMESSAGES_H
#define TRANSFOLD_RUNTIME_COMMANDS_CHATMESSAGES_H

#include "runtime/chat/Render.h"

#include <string>

namespace transfold::runtime {

/// A conversation of a JSON file: a list of messages, or an object with
/// "messages" and, if there are, "tools", "add_generation_prompt" and what else
/// the template may ask for. Throws Error with the file's name.
chat::Conversation readConversation(const std::string &path);

/// {"role": …, "content": …}
nlohmann::ordered_json messageOf(const char *role, const std::string &text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_CHATMESSAGES_H
