// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a conversation into the values that a template gets, with the origin of
// each text, and checks the names of additional variables.

#include "runtime/chat/Inputs.h"

#include "base/Error.h"
#include "base/text/NearestName.h"
#include "base/text/Unicode.h"
#include "runtime/chat/Message.h"

#include <algorithm>
#include <set>

namespace transfold::runtime::chat {

using nlohmann::ordered_json;

namespace {

/// Whether a text is one word, such as "user", which cannot contain a part of a
/// control token.
bool isWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
  });
}

/// Throws Error for invalid UTF-8.
Text checked(const std::string &text, Origin origin) {
  if (!std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; }))
    (void)decodeUtf8(text);
  return {text, origin};
}

/// Converts one value; its containers are nested in `depth` others. The limit
/// leaves some levels for lists that the template itself makes of the values.
Value convert(const ordered_json &json, Origin origin, unsigned depth) {
  if (depth > mostNested - 10)
    fail("messages are nested deeper than {} levels", mostNested - 10);
  step();
  switch (json.type()) {
  case ordered_json::value_t::boolean:
    return json.get<bool>();
  case ordered_json::value_t::number_unsigned:
    return Integer{json.get<uint64_t>()};
  case ordered_json::value_t::number_integer:
    return json.get<int64_t>();
  case ordered_json::value_t::number_float:
    return json.get<double>();
  case ordered_json::value_t::string:
    return checked(json.get_ref<const std::string &>(), origin);
  case ordered_json::value_t::array: {
    Values items;
    for (const auto &item : json)
      items.push_back(convert(item, origin, depth + 1));
    return Value::list(std::move(items));
  }
  case ordered_json::value_t::object: {
    Dict dict;
    for (const auto &[key, item] : json.items()) {
      bool isRole = key == "role" && item.is_string() &&
                    isWord(item.get_ref<const std::string &>());
      dict.set(checked(key, origin),
               convert(item, isRole ? Origin::Template : origin, depth + 1));
    }
    return Value::dict(std::move(dict));
  }
  default:
    return None{};
  }
}

/// Names that a template reads, without those that are only variables of loops
/// or parameters of macros.
std::set<std::string_view> namesRead(const TemplateProgram &program) {
  std::set<std::string_view> read, own;
  auto addTargets = [&](auto &&self, const Node &target) -> void {
    if (target.op == Op::Name)
      own.insert(program.text(target));
    for (NodeId child : target.children)
      self(self, program.node(child));
  };
  for (NodeId id = 0; id < program.size(); ++id) {
    const Node &node = program.node(id);
    if (node.op == Op::Name)
      read.insert(program.text(node));
    else if (node.op == Op::For)
      addTargets(addTargets, program.node(node.children[0]));
    else if (node.op == Op::Parameter || node.op == Op::Macro)
      own.insert(program.text(node));
  }
  std::erase_if(read,
                [&](std::string_view name) { return own.contains(name); });
  return read;
}

/// Whether a name is set anyway: a part of the conversation, a token of the
/// model, or a function. Such names are not variables that a caller may set.
bool isSetAnyway(const TemplateProgram &program, std::string_view name) {
  constexpr std::string_view conversation[] = {"messages", "tools",
                                               "add_generation_prompt"};
  for (size_t i = 0; i + 1 < program.tokens.size(); i += 2)
    if (program.tokens[i] == name)
      return true;
  return std::ranges::find(conversation, name) != std::end(conversation) ||
         findFunction(name);
}

} // namespace

void checkVariables(const TemplateProgram &program,
                    const ordered_json &variables) {
  if (variables.empty())
    return;
  std::set<std::string_view> known = namesRead(program);
  known.insert({"messages", "tools", "documents", "add_generation_prompt"});
  for (const auto &[name, value] : variables.items()) {
    if (isSetAnyway(program, name))
      fail("{}: '{}' is set for the template, and cannot be set by a "
           "conversation",
           program.source, shown(name));
    if (known.contains(name))
      continue;
    if (std::string_view near = nearestName(name, known); !near.empty())
      fail("{}: the template has no variable '{}'; '{}' is probably meant",
           program.source, shown(name), near);
  }
}

Value fromJson(const ordered_json &json, Origin origin) {
  return convert(json, origin, 0);
}

Interpreter::Inputs inputsOf(const TemplateProgram &program,
                             const Conversation &conversation) {
  checkVariables(program, conversation.variables);
  Interpreter::Inputs inputs;
  Values messages;
  for (const ordered_json &message : conversation.messages)
    messages.push_back(convert(preparedMessage(message), Origin::Message, 1));
  inputs["messages"] = Value::list(std::move(messages));
  inputs["tools"] = fromJson(conversation.tools, Origin::Message);
  inputs["documents"] = None{};
  inputs["add_generation_prompt"] = conversation.addGenerationPrompt;
  for (size_t i = 0; i + 1 < program.tokens.size(); i += 2)
    inputs[program.tokens[i]] = Value::text(program.tokens[i + 1]);
  for (const auto &[name, value] : conversation.variables.items())
    inputs[name] = fromJson(value, Origin::Message);
  return inputs;
}

} // namespace transfold::runtime::chat
