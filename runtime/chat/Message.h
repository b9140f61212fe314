// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a conversation: what they must have, and how templates see them.

#ifndef TRANSFOLD_RUNTIME_CHAT_MESSAGE_H
#define TRANSFOLD_RUNTIME_CHAT_MESSAGE_H

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace transfold::runtime::chat {

/// What a message lacks, as the rest of a sentence: "has no role"; empty where
/// it is one. What is said to a model has content; of what the model said it
/// may be null, and is not needed beside calls of tools, their results and
/// thoughts.
std::string problemOfMessage(const nlohmann::ordered_json &message);

/// A message as templates see it: keys that are null are left out, and what the
/// model thought has the names reasoning_content and thinking, whichever name
/// it came with.
nlohmann::ordered_json preparedMessage(const nlohmann::ordered_json &message);

/// "; it has 'mesages'" where a name of the object is nearly the one that is
/// missing, else nothing.
std::string nearlyNamed(const nlohmann::ordered_json &object,
                        std::string_view missing);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_MESSAGE_H
