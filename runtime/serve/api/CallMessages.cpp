// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/api/CallMessages.h"

#include "base/Error.h"
#include "base/text/JsonText.h"
#include "runtime/chat/values/Value.h"
#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/OtherFields.h"

#include <fmt/format.h>

#include <set>

namespace transfold::runtime::serve {

using nlohmann::ordered_json;

namespace {

constexpr size_t mostCallsOfMessage = 128;

/// The arguments of a call: clients send them as JSON in a text.
ordered_json readArguments(const ordered_json *given) {
  ordered_json arguments = ordered_json::object();
  if (given && given->is_string()) {
    const auto &text = given->get_ref<const std::string &>();
    try {
      // Some clients send an empty text for a call without arguments.
      if (!text.empty())
        arguments = parseJsonText(text, {.depth = mostNested});
    } catch (const Error &error) {
      throw badRequest(fmt::format("'arguments' {}.", error.what()));
    }
  } else if (given) {
    arguments = *given;
  }
  if (!arguments.is_object())
    throw badRequest("'arguments' must be an object, as JSON in a text.");
  return arguments;
}

} // namespace

ordered_json CallMessages::readCall(const ordered_json &given) {
  if (!given.is_object())
    throw badRequest("a call must be an object.");
  const Fields call(given);
  const std::string id = call.text("id").value_or("");
  (void)call.integer("index", 0, INT32_MAX); // of a stream
  const ordered_json *function = call.find("function");
  if (call.text("type").value_or("function") != "function" || !function ||
      !function->is_object())
    throw badRequest("a call must have a 'function' and the 'type' function.");
  const Fields fields(*function);
  const std::string name = fields.text("name").value_or("");
  if (id.empty() || name.empty())
    throw badRequest("a call must have an 'id', and its function a 'name'.");
  ordered_json own = {{"name", name},
                      {"arguments", readArguments(fields.find("arguments"))}};
  for (const Fields *each : {&call, &fields})
    for (std::string_view field : each->names())
      if (!each->known().contains(field))
        throw unknownField(field, each->known());
  names[id] = name;
  return {{"id", id}, {"type", "function"}, {"function", std::move(own)}};
}

void CallMessages::read(ordered_json &message) {
  auto check = [](bool isFit, const std::string &what) {
    if (!isFit)
      throw badRequest(what, "messages");
  };
  if (message["role"] == "tool") {
    const ordered_json id = message.value("tool_call_id", ordered_json());
    check(id.is_string(), "A message with the role 'tool' must have the "
                          "'tool_call_id' of the call whose result it is.");
    auto found = names.find(id.get_ref<const std::string &>());
    check(found != names.end(),
          fmt::format("No message before it calls a function with the "
                      "'tool_call_id' '{}'.",
                      chat::shown(id.get_ref<const std::string &>())));
    if (!message.contains("name") || message["name"].is_null())
      message["name"] = found->second;
  }
  auto calls = message.find("tool_calls");
  if (calls == message.end())
    return;
  check(message["role"] == "assistant" || calls->is_null() || calls->empty(),
        "Only messages with the role 'assistant' may have 'tool_calls'.");
  if (calls->is_null() || (calls->is_array() && calls->empty())) {
    message.erase("tool_calls");
    return;
  }
  check(calls->is_array() && calls->size() <= mostCallsOfMessage,
        fmt::format("'tool_calls' must be a list of at most {} calls.",
                    mostCallsOfMessage));
  std::set<std::string> ids;
  for (ordered_json &call : *calls) {
    try {
      call = readCall(call);
    } catch (const ApiError &error) {
      throw badRequest(fmt::format("'tool_calls': {}", error.what()),
                       "messages");
    }
    check(ids.insert(call["id"].get<std::string>()).second,
          "'tool_calls' has two calls with the same 'id'.");
  }
}

void writeArgumentsAsText(ordered_json &messages) {
  for (ordered_json &message : messages)
    if (auto calls = message.find("tool_calls"); calls != message.end())
      for (ordered_json &call : *calls) {
        ordered_json &arguments = call["function"]["arguments"];
        arguments = arguments.dump(-1, ' ', false,
                                   ordered_json::error_handler_t::replace);
      }
}

} // namespace transfold::runtime::serve
