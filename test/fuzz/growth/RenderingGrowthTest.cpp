// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rendering of templates: the work grows in proportion to texts, not to their
// square. (test/unit/chat/ChatWorkTest.cpp tests that steps are counted
// accordingly.)

#include "compiler/chat/CompileTemplate.h"
#include "runtime/chat/Inputs.h"
#include "test/fuzz/growth/Growth.h"
#include "test/unit/chat/ChatUses.h"

#include <ctime>

using namespace transfold;
using namespace transfold::fuzz;
using namespace transfold::runtime::chat;

TEST(RenderingGrowth, Uses) {
  for (std::string_view use : test::uses) {
    auto program = chat::compileTemplate(test::templateOf(use), "t");
    expectLinear<nlohmann::ordered_json>(
        std::string(use), 2000, [](int size) { return test::two(size); },
        [&](const nlohmann::ordered_json &messages) {
          Conversation conversation;
          conversation.messages = messages;
          Budget budget{Limits{}};
          Budget::Use counts(budget);
          auto inputs = inputsOf(program, conversation);
          (void)Interpreter(program, std::move(inputs), std::tm{}, budget)
              .render();
        });
  }
}
