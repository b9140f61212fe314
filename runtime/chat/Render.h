// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renders a conversation to the text that a model reads.

#pragma once

#include "runtime/chat/Nodes.h"
#include "runtime/chat/text/Limits.h"
#include "runtime/chat/text/Text.h"

#include <nlohmann/json.hpp>

#include <ctime>

namespace transfold::runtime::chat {

/// The input of a chat template.
struct Conversation {
  /// [{"role": "user", "content": "Hello"}, …]
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools = nullptr; // a list of schemas, or null
  /// Whether the text ends with the beginning of the model's answer.
  bool addGenerationPrompt = true;
  /// Further variables of the template, such as enable_thinking; an object.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
};

/// Throws Error if a variable has the name of something that is set for the
/// template anyway, such as messages, or if its name is unknown and similar to
/// one that the template reads.
void checkVariables(const TemplateProgram &program,
                    const nlohmann::ordered_json &variables);

/// The result of transformers' apply_chat_template for the conversation, at
/// `time`. Texts from the conversation have Origin::Message. Throws Error with
/// the position in the template, also if the template refuses the conversation.
Text render(const TemplateProgram &program, const Conversation &conversation,
            std::tm time, const Limits &limits = {});

/// The current local time.
std::tm localTime();

} // namespace transfold::runtime::chat
