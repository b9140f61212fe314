// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares templates with the output of Python's jinja2 (test/chat/README.md).
// The variable TRANSFOLD_CHAT_GOLDENS names a folder with more of them.

#include "base/Error.h"
#include "compiler/chat/CompileTemplate.h"
#include "runtime/chat/Render.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace transfold;
using nlohmann::ordered_json;

static std::vector<std::string> goldens(const char *folder) {
  std::vector<std::string> files;
  for (const auto &file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".json")
      files.push_back(file.path().string());
  std::ranges::sort(files);
  return files;
}

/// The time at which the goldens were made: Tuesday, 3 March 2026, 14:05:09.
static std::tm then() {
  std::tm time{};
  time.tm_year = 126, time.tm_mon = 2, time.tm_mday = 3;
  time.tm_hour = 14, time.tm_min = 5, time.tm_sec = 9;
  time.tm_wday = 2, time.tm_yday = 61;
  return time;
}

static std::string rendered(const ordered_json &golden,
                            const ordered_json &each) {
  auto program = chat::compileTemplate(golden.at("template").get<std::string>(),
                                       golden.at("name").get<std::string>());
  for (const auto &[name, text] : golden.at("tokens").items()) {
    program.tokens.push_back(name);
    program.tokens.push_back(text.get<std::string>());
  }
  // In the form in which an executable contains it.
  program = runtime::chat::TemplateProgram::read(program.write());
  runtime::chat::Conversation conversation;
  conversation.messages = each.at("messages");
  conversation.tools = each.value("tools", ordered_json());
  conversation.addGenerationPrompt = each.at("add_generation_prompt");
  conversation.variables = each.value("variables", ordered_json::object());
  return std::string(
      runtime::chat::render(program, conversation, then()).view());
}

static void compare(const std::string &file) {
  auto golden = ordered_json::parse(std::ifstream(file));
  for (const ordered_json &each : golden.at("cases")) {
    SCOPED_TRACE(file + ": " + each.at("case").get<std::string>());
    try {
      std::string text = rendered(golden, each);
      if (each.contains("error"))
        ADD_FAILURE() << "jinja2 fails: " << each.at("error")
                      << "\nhere: " << text;
      else
        EXPECT_EQ(text, each.at("text").get<std::string>());
    } catch (const std::exception &error) {
      EXPECT_TRUE(each.contains("error")) << error.what();
      // A message that the template itself raises is part of the error.
      if (std::string said = each.value("raised", ""); !said.empty())
        EXPECT_NE(std::string(error.what()).find(said), std::string::npos)
            << error.what() << "\nis not: " << said;
    }
  }
}

TEST(ChatGoldens, RenderAsInPython) {
  std::vector<std::string> files = goldens(TRANSFOLD_CHAT_GOLDENS);
  EXPECT_GE(files.size(), 20u);
  if (const char *more = std::getenv("TRANSFOLD_CHAT_GOLDENS"))
    std::ranges::move(goldens(more), std::back_inserter(files));
  for (const std::string &file : files)
    compare(file);
}

/// Single expressions (test/chat/expressions.py); the variable
/// TRANSFOLD_CHAT_EXPRESSIONS names a file with more of them.
static void compareExpressions(const std::string &file) {
  auto expressions = ordered_json::parse(std::ifstream(file));
  size_t others = 0;
  for (const ordered_json &each : expressions) {
    auto source = each.at(0).get<std::string>();
    std::string text, why;
    bool fails = false;
    try {
      text = rendered({{"template", source}, {"name", "t"}, {"tokens", {}}},
                      {{"messages", ordered_json::array()},
                       {"add_generation_prompt", false}});
    } catch (const std::exception &error) {
      fails = true;
      why = error.what();
    }
    // Integers beyond 128 bits are an error here.
    bool isAsExpected =
        each.at(1).is_null()
            ? fails
            : (!fails && text == each.at(1).get<std::string>()) ||
                  why.ends_with("beyond 128 bits");
    if (!isAsExpected && ++others <= 100)
      ADD_FAILURE() << source << "\ngives  " << (fails ? why : text)
                    << "\njinja2 " << each.at(1);
  }
  EXPECT_EQ(others, 0U) << "of " << expressions.size();
}

TEST(ChatGoldens, ExpressionsGiveWhatTheyGiveInPython) {
  compareExpressions(TRANSFOLD_CHAT_GOLDENS "/../expressions.json");
  if (const char *more = std::getenv("TRANSFOLD_CHAT_EXPRESSIONS"))
    compareExpressions(more);
}
