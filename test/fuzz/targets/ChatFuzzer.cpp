// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a chat template, and the messages that it renders.

#include "base/Error.h"
#include "compiler/chat/CompileTemplate.h"
#include "runtime/chat/Render.h"
#include "test/fuzz/targets/Input.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [source, messages] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  runtime::chat::Conversation conversation;
  auto json = nlohmann::ordered_json::parse(messages, nullptr, false);
  if (json.is_array())
    conversation.messages = json;
  try {
    auto program = chat::compileTemplate(source, "fuzz.jinja");
    auto again = runtime::chat::TemplateProgram::read(program.write());
    auto text = runtime::chat::render(
        again, conversation, std::tm{},
        {.steps = 200'000, .bytes = 8 << 20, .output = 1 << 20, .depth = 200});
    size_t known = 0;
    for (auto origin :
         {runtime::chat::Origin::Template, runtime::chat::Origin::Message})
      for (auto [begin, end] : text.partsFrom(origin))
        known += end - begin;
    fuzz::require(known == text.size(), "an origin for each byte");
  } catch (const chat::TemplateError &) {
  } catch (const Error &) {
  }
  return 0;
}
