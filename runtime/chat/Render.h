// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A conversation as the text that a model reads.

#ifndef TRANSFOLD_RUNTIME_CHAT_RENDER_H
#define TRANSFOLD_RUNTIME_CHAT_RENDER_H

#include "runtime/chat/Nodes.h"
#include "runtime/chat/text/Limits.h"
#include "runtime/chat/text/Text.h"

#include <nlohmann/json.hpp>

#include <ctime>

namespace transfold::runtime::chat {

struct Conversation {
  /// [{"role": "user", "content": "Hello"}, …]
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools = nullptr; // a list of schemas, or null
  /// Whether the text ends where the model's answer begins.
  bool addGenerationPrompt = true;
  /// What else templates may ask for, such as enable_thinking; an object.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
};

/// Throws Error where a variable has the name of something that is set for the
/// template anyway, such as messages, or nearly that of one that it reads.
void checkVariables(const TemplateProgram &program,
                    const nlohmann::ordered_json &variables);

/// What transformers' apply_chat_template gives for the conversation, at
/// `time`. Texts of the conversation are Origin::Message. Throws Error with the
/// place in the template, also where the template refuses the conversation.
Text render(const TemplateProgram &program, const Conversation &conversation,
            std::tm time, const Limits &limits = {});

/// The time now, where the user is.
std::tm localTime();

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_RENDER_H
