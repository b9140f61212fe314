// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/chat/CallProbes.h"

#include "runtime/chat/Render.h"

#include <algorithm>

namespace transfold::runtime::chat {

using nlohmann::ordered_json;

const std::array<CallProbe, 2> &callProbes() {
  static const std::array<CallProbe, 2> all = {
      CallProbe{"zqx_first_probe",
                "zqx describes the first.",
                "call_zqx0000000000000000000001",
                "zqx000001",
                {{"zqx_text", "the \"first\""}, {"zqx_list", {7, true}}}},
      CallProbe{"zqx_other_probe",
                "zqx describes the other.",
                "call_zqx0000000000000000000002",
                "zqx000002",
                {{"zqx_text", "the \"other\""}, {"zqx_list", {8, false}}}}};
  return all;
}

std::string renderedProbe(const TemplateProgram &program, std::tm time,
                          const ordered_json &answer, ordered_json tools) {
  Conversation conversation;
  conversation.messages.push_back(
      {{"role", "user"}, {"content", "zqx question"}});
  if (!answer.is_null())
    conversation.messages.push_back(answer);
  conversation.addGenerationPrompt = answer.is_null();
  conversation.tools = std::move(tools);
  return std::string(render(program, conversation, time).view());
}

size_t commonBeginning(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::string CallRenderer::rendered(const ordered_json &answer) const {
  ordered_json tools = ordered_json::array();
  for (const CallProbe &probe : callProbes()) {
    const ordered_json parameters = {
        {"type", "object"},
        {"properties",
         {{"zqx_text", {{"type", "string"}, {"description", "zqx text"}}},
          {"zqx_list", {{"type", "array"}, {"description", "zqx list"}}}}}};
    const ordered_json function = {{"name", probe.name},
                                   {"description", probe.description},
                                   {"parameters", parameters}};
    tools.push_back({{"type", "function"}, {"function", function}});
  }
  return renderedProbe(program, time, answer, std::move(tools));
}

std::string CallRenderer::withText() const {
  return rendered({{"role", "assistant"}, {"content", plainAnswer}});
}

std::string CallRenderer::withCalls(size_t count) const {
  ordered_json calls = ordered_json::array();
  for (size_t i = 0; i < count; ++i) {
    const CallProbe &probe = callProbes()[i];
    ordered_json function = {{"name", probe.name}};
    if (argumentsAreText)
      function["arguments"] = probe.arguments.dump();
    else
      function["arguments"] = probe.arguments;
    calls.push_back({{"id", idOf(probe)},
                     {"type", "function"},
                     {"function", std::move(function)}});
  }
  return rendered({{"role", "assistant"},
                   {"content", ""},
                   {"tool_calls", std::move(calls)}});
}

} // namespace transfold::runtime::chat
