// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/api/ToolFields.h"

#include "runtime/chat/CallSyntax.h"
#include "runtime/chat/values/Value.h"
#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/OtherFields.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::runtime::serve {

using nlohmann::ordered_json;

namespace {

constexpr size_t mostTools = 128, mostNameBytes = 64;

void refuseUnknown(const Fields &fields) {
  for (std::string_view name : fields.names())
    if (!fields.known().contains(name))
      throw unknownField(name, fields.known());
}

/// A schema of objects: of the arguments of a function.
ordered_json readParameters(const Fields &function) {
  const ordered_json *given = function.find("parameters");
  if (!given)
    return {{"type", "object"},
            {"properties", ordered_json::object()},
            {"additionalProperties", false}};
  if (!given->is_object())
    throw badRequest("'parameters' must be a schema, which is an object.");
  ordered_json schema = *given;
  if (!schema.contains("type"))
    schema["type"] = "object";
  if (schema["type"] != "object")
    throw badRequest("'parameters' must have the type 'object'.");
  return schema;
}

/// Reads one function, and appends it to those that the template shows.
Tool readTool(const ordered_json &given, ordered_json &shown) {
  if (!given.is_object())
    throw badRequest("a tool must be an object.");
  const Fields tool(given);
  if (tool.text("type").value_or("") != "function")
    throw badRequest("'type' must be 'function': there are no other tools.");
  const ordered_json *function = tool.find("function");
  if (!function || !function->is_object())
    throw badRequest("'function' must be an object with a 'name'.");
  refuseUnknown(tool);
  const Fields fields(*function);
  Tool result{readFunctionName(fields, "tools"), readParameters(fields)};
  ordered_json own = {{"name", result.name}};
  if (auto description = fields.text("description"))
    own["description"] = *description;
  (void)fields.flag("strict"); // calls always follow their schemas
  refuseUnknown(fields);
  const ordered_json *parameters = fields.find("parameters");
  own["parameters"] =
      parameters ? *parameters
                 : ordered_json{{"type", "object"},
                                {"properties", ordered_json::object()}};
  shown.push_back({{"type", "function"}, {"function", std::move(own)}});
  return result;
}

std::vector<Tool> readList(const ordered_json &given, ordered_json &shown) {
  if (!given.is_array() || given.size() > mostTools)
    throw badRequest(
        fmt::format("'tools' must be a list of at most {} functions.",
                    mostTools),
        "tools");
  std::vector<Tool> tools;
  for (const ordered_json &each : given) {
    try {
      tools.push_back(readTool(each, shown));
    } catch (const ApiError &error) {
      throw badRequest(
          fmt::format("'tools[{}]': {}", tools.size(), error.what()), "tools");
    }
    const std::string &name = tools.back().name;
    if (std::ranges::count(tools, name, &Tool::name) > 1)
      throw badRequest(
          fmt::format("'tools' has two functions named '{}'.", name), "tools");
  }
  return tools;
}

ApiError wrongChoice() {
  return badRequest(
      "'tool_choice' must be none, auto, required, or "
      "{\"type\": \"function\", \"function\": {\"name\": \"…\"}}.",
      "tool_choice");
}

/// {"type": "function", "function": {"name": "…"}}: only this one may be
/// called.
void chooseOne(const ordered_json &given, AskedTools &tools) {
  const Fields choice(given);
  const ordered_json *function = choice.find("function");
  if (choice.text("type").value_or("") != "function" || !function ||
      !function->is_object())
    throw wrongChoice();
  const Fields fields(*function);
  const std::string name = fields.text("name").value_or("");
  refuseUnknown(choice);
  refuseUnknown(fields);
  std::erase_if(tools.callable,
                [&](const Tool &tool) { return tool.name != name; });
  if (tools.callable.empty())
    throw badRequest(fmt::format("'tool_choice': 'tools' has no function named "
                                 "'{}'.",
                                 chat::shown(name)),
                     "tool_choice");
  tools.choice = AskedTools::Choice::Required;
}

void readChoice(const Fields &fields, AskedTools &tools) {
  using Choice = AskedTools::Choice;
  const ordered_json *given = fields.find("tool_choice");
  if (!given)
    return;
  if (!given->is_object() && !given->is_string())
    throw wrongChoice();
  if (*given == "none")
    tools.choice = Choice::None;
  else if (*given == "required")
    tools.choice = Choice::Required;
  else if (given->is_string() && *given != "auto")
    throw wrongChoice();
  if (tools.callable.empty() &&
      (given->is_object() || tools.choice == Choice::Required))
    throw badRequest("'tool_choice' asks for a call, and the request has no "
                     "'tools'.",
                     "tool_choice");
  if (given->is_object())
    chooseOne(*given, tools);
}

} // namespace

std::string readFunctionName(const Fields &function, const char *param) {
  const std::string name = function.text("name").value_or("");
  const bool isName = !name.empty() && name.size() <= mostNameBytes &&
                      std::ranges::all_of(name, chat::isOfFunctionName);
  if (!isName)
    throw badRequest(fmt::format("'name' must have 1 to {} letters, digits, "
                                 "'_' and '-', not '{}'.",
                                 mostNameBytes, chat::shown(name)),
                     param);
  return name;
}

AskedTools readTools(const Fields &fields, ordered_json &shown) {
  AskedTools tools;
  if (const ordered_json *given = fields.find("tools")) {
    ordered_json list = ordered_json::array();
    tools.callable = readList(*given, list);
    if (!list.empty())
      shown = std::move(list);
  }
  readChoice(fields, tools);
  tools.mayBeSeveral = fields.flag("parallel_tool_calls").value_or(true);
  return tools;
}

} // namespace transfold::runtime::serve
