// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversations in files, for `chat --messages` and /load.

#pragma once

#include "runtime/chat/Render.h"

#include <string>

namespace transfold::runtime::inline commands {

/// Reads a conversation from a JSON file (Conversation.h). Throws Error with
/// the file's name.
chat::Conversation readConversation(const std::string &path);

} // namespace transfold::runtime::inline commands
