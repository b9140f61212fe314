// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax of calls is found from templates, or the reason why it cannot be.

#include "CallTemplates.h"
#include "base/Error.h"
#include "runtime/chat/ThoughtSyntax.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace transfold;
using runtime::chat::CallSyntax;
using test::syntaxOf;

namespace {

std::string problem(std::string_view source) {
  try {
    (void)syntaxOf(source);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

/// A template that shows functions, and writes an answer with `call` for each
/// call.
std::string templateOf(std::string_view call,
                       std::string_view prompt = "<answer>") {
  return fmt::format(
      "{{{{ tools | tojson }}}}{{% for m in messages %}}<{{{{ m.role }}}}>"
      "{{{{ m.content }}}}{{% for c in m.tool_calls %}}{}{{% endfor %}}</end>"
      "{{% endfor %}}{{% if add_generation_prompt %}}{}{{% endif %}}",
      call, prompt);
}
constexpr std::string_view begins = "<assistant>";

TEST(CallSyntaxTest, Hermes) {
  const CallSyntax syntax = syntaxOf(test::hermesTemplate);
  EXPECT_EQ(syntax.space, "");
  EXPECT_EQ(syntax.before, "<tool_call>\n{\"name\": \"");
  EXPECT_EQ(syntax.middle, "\", \"arguments\": ");
  EXPECT_EQ(syntax.between, "}\n</tool_call>\n<tool_call>\n{\"name\": \"");
  EXPECT_EQ(syntax.after, "}\n</tool_call>");
  EXPECT_EQ(syntax.markText(), "<tool_call>");
  EXPECT_TRUE(syntax.hasSeveral);
  EXPECT_FALSE(syntax.argumentsAreText);
  EXPECT_FALSE(syntax.hasShortIds);
  EXPECT_FALSE(syntax.followsText);
}

TEST(CallSyntaxTest, Llama) {
  const CallSyntax syntax = syntaxOf(test::llamaTemplate);
  EXPECT_EQ(syntax.before, "{\"name\": \"");
  EXPECT_EQ(syntax.middle, "\", \"parameters\": ");
  EXPECT_EQ(syntax.after, "}");
  EXPECT_EQ(syntax.markText(), "");
  EXPECT_FALSE(syntax.hasSeveral);
}

TEST(CallSyntaxTest, Mistral) {
  const CallSyntax syntax = syntaxOf(test::mistralTemplate);
  EXPECT_EQ(syntax.before, "[TOOL_CALLS] [{\"name\": \"");
  EXPECT_EQ(syntax.middle, "\", \"arguments\": ");
  EXPECT_EQ(syntax.between, "}, {\"name\": \"");
  EXPECT_EQ(syntax.after, "}]");
  EXPECT_EQ(syntax.markText(), "[TOOL_CALLS]");
  EXPECT_TRUE(syntax.hasSeveral);
  EXPECT_TRUE(syntax.hasShortIds);
}

TEST(CallSyntaxTest, ArgumentsThatAreTexts) {
  const CallSyntax syntax = syntaxOf(templateOf(
      "call:{{ c.function.name + '\\n' + c.function.arguments + ';' }}",
      begins));
  EXPECT_EQ(syntax.before, "call:");
  EXPECT_EQ(syntax.middle, "\n");
  EXPECT_EQ(syntax.between, ";call:");
  EXPECT_EQ(syntax.after, ";");
  EXPECT_EQ(syntax.markText(), "call:");
  EXPECT_TRUE(syntax.argumentsAreText);
}

TEST(CallSyntaxTest, AfterAThought) {
  const CallSyntax syntax = syntaxOf(templateOf(
      "<call={{ c.function.name }}>{{ c.function.arguments | tojson }}",
      "<assistant><think>"));
  EXPECT_EQ(syntax.before, "<call=");
  EXPECT_EQ(syntax.middle, ">");
  EXPECT_EQ(syntax.after, "");
  EXPECT_TRUE(syntax.followsText);
}

/// The syntax of a template of test/chat.
CallSyntax ofGolden(const std::string &name) {
  std::ifstream file(fmt::format("{}/{}.json", TRANSFOLD_CHAT_GOLDENS, name));
  const auto golden = nlohmann::ordered_json::parse(file);
  auto program =
      chat::compileTemplate(golden.at("template").get<std::string>(), name);
  for (const auto &[token, text] : golden.at("tokens").items()) {
    program.tokens.push_back(token);
    program.tokens.push_back(text.get<std::string>());
  }
  return runtime::chat::findCallSyntax(program, std::tm{});
}

TEST(CallSyntaxTest, LongerTemplates) {
  const CallSyntax marks = ofGolden("chatml-tools"),
                   list = ofGolden("inst-tools"), object = ofGolden("llama3");
  EXPECT_EQ(marks.before, "<tool_call>\n{\"name\": \"");
  EXPECT_TRUE(marks.hasSeveral && !marks.hasShortIds);
  EXPECT_EQ(list.before, "[TOOL_CALLS] [{\"name\": \"");
  EXPECT_EQ(list.after, "}]");
  EXPECT_TRUE(list.hasSeveral && list.hasShortIds);
  EXPECT_EQ(object.middle, "\", \"parameters\": ");
  EXPECT_EQ(object.mark, 0U);
  EXPECT_THROW(ofGolden("xml-tools"), Error);
  EXPECT_THROW(ofGolden("smollm2"), Error);
}

TEST(CallSyntaxTest, Thoughts) {
  auto marks = [](const std::string &thought, const std::string &prompt) {
    const auto found = runtime::chat::findThoughtSyntax(
        chat::compileTemplate("{% for m in messages %}<{{ m.role }}>" +
                                  thought +
                                  "{{ m.content }};{% endfor %}"
                                  "{% if add_generation_prompt %}" +
                                  prompt + "{% endif %}",
                              "t.jinja"),
        std::tm{});
    return found ? found->before + " " + found->after : "none";
  };
  const std::string thought =
      "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n"
      "</think>\n\n{% endif %}";
  EXPECT_EQ(marks(thought, "<assistant>"), "<think> </think>");
  EXPECT_EQ(marks(thought, "<assistant><think>\n"), "<think> </think>");
  // An answer without thoughts has the empty marks, as Qwen 3.
  EXPECT_EQ(marks("{% if m.role == 'assistant' %}<think>\n"
                  "{{ m.reasoning_content }}\n</think>\n\n{% endif %}",
                  "<assistant>"),
            "<think> </think>");
  EXPECT_EQ(marks("", "<assistant>"), "none");
  EXPECT_EQ(marks("{{ m.reasoning_content }}", "<assistant>"), "none");
  EXPECT_EQ(marks("{{ raise_exception('no') }}", "<assistant>"), "none");
  const runtime::chat::ThoughtSyntax syntax{"<think>", "</think>"};
  EXPECT_TRUE(syntax.isBegunBy("a<think>\n"));
  EXPECT_FALSE(syntax.isBegunBy("a<think>\n\n</think>\n\n"));
}

TEST(CallSyntaxTest, WhatCannotBeFound) {
  const std::string without = "the chat template of this model does not show "
                              "functions to the model",
                    other = "calls of functions are not supported with the "
                            "chat template of this model: it ";
  EXPECT_EQ(problem("{% for m in messages %}{{ m.content }}{% endfor %}"),
            without);
  EXPECT_EQ(problem(templateOf("", begins)),
            other + "does not write the name of a function that is called");
  EXPECT_EQ(problem(templateOf("<{{ c.function.name }}>"
                               "{% for n, v in c.function.arguments.items() %}"
                               "<p={{ n }}>{{ v }}</p>{% endfor %}",
                               begins)),
            other + "does not write the arguments of a call as JSON after its "
                    "name");
  EXPECT_EQ(problem(templateOf("<{{ c.function.arguments | tojson }}"
                               "{{ c.function.name }}>",
                               begins)),
            other + "does not write the arguments of a call as JSON after its "
                    "name");
  EXPECT_EQ(problem(templateOf("{{ c.function.name }}"
                               "{{ c.function.arguments | tojson }}",
                               begins)),
            other + "writes nothing that separates the name from what is "
                    "around it");
  EXPECT_EQ(problem(templateOf("<{{ c.id }}:{{ c.function.name }}>"
                               "{{ c.function.arguments | tojson }}",
                               begins)),
            other + "writes the id of a call before the arguments");
}

} // namespace
