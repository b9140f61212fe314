// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tasks/Conversation.h"

#include "runtime/Error.h"

namespace transfold::runtime {

using nlohmann::ordered_json;

namespace {

/// Refuses what is nested deeper than templates can read, before it is parsed.
bool isTooDeep(int depth, ordered_json::parse_event_t event) {
  using Event = ordered_json::parse_event_t;
  constexpr int most = 100;
  return depth > most &&
         (event == Event::object_start || event == Event::array_start);
}

ordered_json readJson(std::string_view text, const std::string &place) {
  try {
    return ordered_json::parse(
        text,
        [&](int depth, ordered_json::parse_event_t event, ordered_json &) {
          if (isTooDeep(depth, event))
            fail("{}: is nested too deep", place);
          return true;
        });
  } catch (const ordered_json::exception &error) {
    fail("{}: is not JSON: {}", place, error.what());
  }
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
    for (const auto &[key, value] : json.items())
      if (key == "messages")
        conversation.messages = value;
      else if (key == "tools")
        conversation.tools = value;
      else if (key == "add_generation_prompt" && value.is_boolean())
        conversation.addGenerationPrompt = value.get<bool>();
      else
        conversation.variables[key] = value;
  } else {
    conversation.messages = std::move(json);
  }
  if (!conversation.messages.is_array())
    fail("{}: has no list of messages, such as "
         "[{{\"role\": \"user\", \"content\": \"Hello\"}}]",
         place);
  for (const ordered_json &message : conversation.messages)
    if (!message.is_object() || !message.contains("role") ||
        !message["role"].is_string())
      fail("{}: {} is no message: it has no role", place, message.dump());
  return conversation;
}

} // namespace transfold::runtime
