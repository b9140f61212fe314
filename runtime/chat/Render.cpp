// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that sets up a rendering: a budget first, then the inputs,
// whose memory counts toward it.

#include "runtime/chat/Render.h"

#include "runtime/chat/Inputs.h"

namespace transfold::runtime::chat {

Text render(const TemplateProgram &program, const Conversation &conversation,
            std::tm time, const Limits &limits) {
  Budget budget(limits);
  Budget::Use use(budget);
  return Interpreter(program, inputsOf(program, conversation), time, budget)
      .render();
}

std::tm localTime() {
  std::time_t now = std::time(nullptr);
  std::tm time{};
  ::localtime_r(&now, &time);
  return time;
}

} // namespace transfold::runtime::chat
