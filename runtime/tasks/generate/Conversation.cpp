// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and checks a conversation with the names of OpenAI's interface and of
// Hugging Face's apply_chat_template.

#include "runtime/tasks/generate/Conversation.h"

#include "base/Error.h"
#include "base/text/JsonText.h"
#include "runtime/chat/Message.h"
#include "runtime/chat/values/Value.h"

namespace transfold::runtime::inline tasks {

using nlohmann::ordered_json;

namespace {

/// Parses JSON within the limits for conversations. Throws Error that begins
/// with `place`.
ordered_json readJson(std::string_view text, const std::string &place) {
  try {
    return parseJsonText(text, {.depth = 100, .exactIntegers = true});
  } catch (const Error &error) {
    fail("{}: {}", place, error.what());
  }
}

/// A value of a message, truncated if it is long.
std::string shown(const ordered_json &value) {
  return chat::shown(
      value.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

/// Adds a variable; there must be none of that name.
void addVariable(chat::Conversation &conversation, const std::string &name,
                 ordered_json value) {
  auto &variables = conversation.variables.get_ref<ordered_json::object_t &>();
  static_cast<ordered_json::object_t::Container &>(variables).emplace_back(
      name, std::move(value));
}

} // namespace

ordered_json messageOf(const char *role, const std::string &text) {
  ordered_json message;
  message["role"] = role;
  message["content"] = text;
  return message;
}

chat::Conversation parseConversation(std::string_view text,
                                     const std::string &place) {
  ordered_json json = readJson(text, place);
  chat::Conversation conversation;
  if (json.is_object()) {
    if (!json.contains("messages"))
      fail("{}: has no 'messages'{}", place,
           chat::nearlyNamed(json, "messages"));
    for (auto &[key, value] : json.get_ref<ordered_json::object_t &>())
      if (key == "messages")
        conversation.messages = std::move(value);
      else if (key == "tools")
        conversation.tools = std::move(value);
      else if (key == "add_generation_prompt" && !value.is_boolean())
        fail("{}: 'add_generation_prompt' must be true or false, not {}", place,
             value.type_name());
      else if (key == "add_generation_prompt")
        conversation.addGenerationPrompt = value.get<bool>();
      else
        addVariable(conversation, key, std::move(value));
  } else {
    conversation.messages = std::move(json);
  }
  if (!conversation.messages.is_array())
    fail("{}: has no list of messages, such as "
         "[{{\"role\": \"user\", \"content\": \"Hello\"}}]",
         place);
  for (const ordered_json &message : conversation.messages)
    if (std::string problem = chat::problemOfMessage(message); !problem.empty())
      fail("{}: {} is not a message: it {}", place, shown(message), problem);
  return conversation;
}

} // namespace transfold::runtime::inline tasks
