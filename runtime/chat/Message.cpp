// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which messages are valid, and under which keys templates find a model's
// thoughts, as in transformers.

#include "runtime/chat/Message.h"

#include "base/text/NearestName.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace transfold::runtime::chat {

using nlohmann::ordered_json;

std::string nearlyNamed(const ordered_json &object, std::string_view missing) {
  if (object.contains(missing)) // present, but invalid
    return "";
  std::vector<std::string_view> names;
  for (const auto &[name, value] : object.items())
    names.push_back(name);
  std::string_view near = nearestName(missing, names);
  return near.empty() ? "" : fmt::format("; it has '{}'", near);
}

namespace {

/// Whether the message has one of these keys with a value that is neither null
/// nor an empty list.
bool saysOneOf(const ordered_json &message,
               std::initializer_list<const char *> names) {
  return std::ranges::any_of(names, [&](const char *name) {
    auto found = message.find(name);
    return found != message.end() && !found->is_null() &&
           !(found->is_array() && found->empty());
  });
}

/// Roles whose messages are input of the model. The model's own messages may
/// consist of calls only.
bool speaksToModel(const std::string &role) {
  return role == "user" || role == "system" || role == "developer";
}

} // namespace

std::string problemOfMessage(const ordered_json &message) {
  if (!message.is_object())
    return "is not an object";
  if (!message.contains("role"))
    return "has no role" + nearlyNamed(message, "role");
  if (!message["role"].is_string())
    return "has a role that is not a string";
  if (speaksToModel(message["role"].get_ref<const std::string &>()) &&
      !saysOneOf(message, {"content", "tool_responses", "audio"}))
    return "has no content" + nearlyNamed(message, "content");
  for (const char *name :
       {"content", "tool_calls", "tool_responses", "function_call",
        "reasoning_content", "reasoning", "thinking", "audio"})
    if (message.contains(name))
      return "";
  return "has no content" + nearlyNamed(message, "content");
}

ordered_json preparedMessage(const ordered_json &message) {
  if (!message.is_object())
    return message;
  ordered_json prepared = ordered_json::object();
  auto &entries = prepared.get_ref<ordered_json::object_t &>();
  const ordered_json *thought = nullptr;
  for (const char *name : {"reasoning_content", "thinking", "reasoning"})
    if (auto found = message.find(name);
        !thought && found != message.end() && !found->is_null())
      thought = &*found;
  // In the order in which transformers adds them.
  if (thought)
    prepared["thinking"] =
        message.contains("thinking") && !message["thinking"].is_null()
            ? message["thinking"]
            : *thought;
  for (const auto &[key, value] : message.items())
    if (!value.is_null() && !(thought && key == "thinking"))
      static_cast<ordered_json::object_t::Container &>(entries).emplace_back(
          key, value);
  if (thought)
    prepared["reasoning_content"] = *thought;
  return prepared;
}

} // namespace transfold::runtime::chat
