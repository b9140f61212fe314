// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a conversation: their required fields, and their form in
// templates.

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace transfold::runtime::chat {

/// What a message lacks, as the rest of a sentence: "has no role"; empty if it
/// is valid. Messages to the model must have content; in messages of the model
/// it may be null, and it may be missing beside tool calls, their results and
/// thoughts.
std::string problemOfMessage(const nlohmann::ordered_json &message);

/// A message as templates get it: keys with the value null are removed, and the
/// model's thoughts are available as reasoning_content and thinking, whichever
/// key the message has.
nlohmann::ordered_json preparedMessage(const nlohmann::ordered_json &message);

/// "; it has 'mesages'" if the object has a key similar to the missing one,
/// else an empty text.
std::string nearlyNamed(const nlohmann::ordered_json &object,
                        std::string_view missing);

} // namespace transfold::runtime::chat
