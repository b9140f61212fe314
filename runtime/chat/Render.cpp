// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/chat/Render.h"

#include "runtime/chat/Interpreter.h"

namespace transfold::runtime::chat {

Text render(const TemplateProgram &program, const Conversation &conversation,
            std::tm time, const Limits &limits) {
  Interpreter::Inputs inputs;
  inputs["messages"] = fromJson(conversation.messages, Origin::Message);
  inputs["tools"] = fromJson(conversation.tools, Origin::Message);
  inputs["documents"] = None{};
  inputs["add_generation_prompt"] = conversation.addGenerationPrompt;
  for (size_t i = 0; i + 1 < program.tokens.size(); i += 2)
    inputs[program.tokens[i]] = Value::text(program.tokens[i + 1]);
  for (const auto &[name, value] : conversation.variables.items())
    inputs[name] = fromJson(value, Origin::Message);
  return Interpreter(program, std::move(inputs), time, limits).render();
}

std::tm localTime() {
  std::time_t now = std::time(nullptr);
  std::tm time{};
  ::localtime_r(&now, &time);
  return time;
}

} // namespace transfold::runtime::chat
