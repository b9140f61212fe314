// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/ChatMessages.h"

#include "runtime/Error.h"
#include "runtime/files/FileMapping.h"

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

ordered_json readJson(const std::string &path) {
  FileMapping file(path);
  std::string_view text(reinterpret_cast<const char *>(file.bytes().data()),
                        file.bytes().size());
  try {
    return ordered_json::parse(
        text,
        [&](int depth, ordered_json::parse_event_t event, ordered_json &) {
          if (isTooDeep(depth, event))
            fail("{}: is nested too deep", path);
          return true;
        });
  } catch (const ordered_json::exception &error) {
    fail("{}: is not JSON: {}", path, error.what());
  }
}

} // namespace

ordered_json messageOf(const char *role, const std::string &text) {
  ordered_json message;
  message["role"] = role;
  message["content"] = text;
  return message;
}

chat::Conversation readConversation(const std::string &path) {
  ordered_json json = readJson(path);
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
         path);
  for (const ordered_json &message : conversation.messages)
    if (!message.is_object() || !message.contains("role") ||
        !message["role"].is_string())
      fail("{}: {} is no message: it has no role", path, message.dump());
  return conversation;
}

} // namespace transfold::runtime
