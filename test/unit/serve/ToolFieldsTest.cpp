// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What requests say about functions and their calls, and the errors of invalid
// ones.

#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/CallMessages.h"
#include "runtime/serve/api/Requests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace transfold::runtime;
using namespace transfold::runtime::serve;
using Choice = AskedTools::Choice;

namespace {

constexpr const char *usual = R"({"role": "user", "content": "x"})";
CompletionRequest asked(const std::string &more,
                        const std::string &messages = usual) {
  return readChatRequest(R"({"messages": [)" + messages + "]" + more + "}");
}
/// The field and the message of the error; empty if there is none.
std::string problem(const std::string &more,
                    const std::string &messages = usual) {
  try {
    asked(more, messages);
  } catch (const ApiError &error) {
    EXPECT_EQ(error.status, 400);
    EXPECT_NO_THROW(dump(error.body()));
    return error.param + ": " + error.what();
  }
  return "";
}
std::string tool(const std::string &name, const std::string &more = "") {
  return R"({"type": "function", "function": {"name": ")" + name + '"' + more +
         "}}";
}
std::string tools(const std::string &list) {
  return R"(, "tools": [)" + list + "]";
}

TEST(ToolFieldsTest, ReadsFunctions) {
  const CompletionRequest request =
      asked(tools(tool("a-1", R"(, "description": "d", "strict": true,
                            "parameters": {"properties": {}})") +
                  "," + tool("b")) +
            R"(, "parallel_tool_calls": false)");
  ASSERT_EQ(request.tools.callable.size(), 2U);
  EXPECT_EQ(request.tools.choice, Choice::Auto);
  EXPECT_FALSE(request.tools.mayBeSeveral);
  EXPECT_EQ(request.tools.callable[0].arguments["type"], "object");
  EXPECT_EQ(request.tools.callable[1].arguments["additionalProperties"], false);
  EXPECT_EQ(request.conversation.tools[0].dump(),
            R"({"type":"function","function":{"name":"a-1","description":"d",)"
            R"("parameters":{"properties":{}}}})");
  EXPECT_TRUE(asked(tools("")).conversation.tools.is_null());
  EXPECT_FALSE(asked("").tools.areGiven());
}

TEST(ToolFieldsTest, ReadsChoices) {
  const std::string two = tools(tool("a") + "," + tool("b"));
  auto choice = [&](const std::string &text) {
    return asked(two + R"(, "tool_choice": )" + text).tools;
  };
  EXPECT_EQ(choice("\"none\"").choice, Choice::None);
  EXPECT_EQ(choice("\"auto\"").choice, Choice::Auto);
  EXPECT_EQ(choice("null").choice, Choice::Auto);
  EXPECT_EQ(choice("\"required\"").choice, Choice::Required);
  const AskedTools named = choice(tool("b"));
  EXPECT_EQ(named.choice, Choice::Required);
  ASSERT_EQ(named.callable.size(), 1U);
  EXPECT_EQ(named.callable[0].name, "b");
  auto refused = [&](const std::string &text) {
    return problem(two + R"(, "tool_choice": )" + text);
  };
  EXPECT_EQ(refused(tool("c")), "tool_choice: 'tool_choice': 'tools' has no "
                                "function named 'c'.");
  for (const char *wrong :
       {"1", "\"any\"", "[]", "{}", R"({"type": "allowed_tools"})",
        R"({"type": "function", "function": "a"})"})
    EXPECT_TRUE(refused(wrong).starts_with(
        "tool_choice: 'tool_choice' must be none, auto, required, or "))
        << wrong;
  EXPECT_EQ(problem(R"(, "tool_choice": "required")"),
            "tool_choice: 'tool_choice' asks for a call, and the request has "
            "no 'tools'.");
  EXPECT_EQ(problem(R"(, "tool_choice": "auto")"), "");
}

TEST(ToolFieldsTest, RefusesWrongFunctions) {
  EXPECT_EQ(problem(tools("{}")), "tools: 'tools[0]': 'type' must be "
                                  "'function': there are no other tools.");
  EXPECT_EQ(problem(tools("1")),
            "tools: 'tools[0]': a tool must be an object.");
  EXPECT_EQ(problem(tools(tool("a") + "," + tool("a"))),
            "tools: 'tools' has two functions named 'a'.");
  for (const std::string &name :
       {std::string(), std::string("a b"), std::string("a\\\"b"),
        std::string("é"), std::string(65, 'a'), std::string("<|im_end|>")})
    EXPECT_EQ(problem(tools(tool(name))).substr(0, 36),
              "tools: 'tools[0]': 'name' must have ")
        << name;
  EXPECT_EQ(problem(tools(tool("a", R"(, "desciption": "d")"))),
            "tools: 'tools[0]': There is no field 'desciption'. Did you mean "
            "'description'?");
  EXPECT_EQ(problem(tools(R"({"type": "function", "function": {"name": "a"},
                              "name": "a"})")),
            "tools: 'tools[0]': There is no field 'name'.");
  EXPECT_EQ(problem(tools(tool("a", R"(, "parameters": true)"))),
            "tools: 'tools[0]': 'parameters' must be a schema, which is an "
            "object.");
  EXPECT_EQ(problem(tools(tool("a", R"(, "parameters": {"type": "array"})"))),
            "tools: 'tools[0]': 'parameters' must have the type 'object'.");
  EXPECT_NE(problem(tools(tool("a", R"(, "strict": 1)"))), "");
  EXPECT_NE(problem(R"(, "tools": {})"), "");
  EXPECT_NE(problem(R"(, "parallel_tool_calls": "yes")"), "");
  std::string many;
  for (int i = 0; i < 129; ++i)
    many += (i ? "," : "") + tool(fmt::format("f{}", i));
  EXPECT_EQ(problem(tools(many)),
            "tools: 'tools' must be a list of at most 128 functions.");
}

TEST(ToolFieldsTest, RefusesWhatCannotBeCombined) {
  const std::string one = tools(tool("a")), none = R"(, "tool_choice": "none")";
  for (const char *field : {R"("response_format": {"type": "json_object"})",
                            R"("ignore_eos": true)", R"("logprobs": true)"}) {
    EXPECT_NE(problem(one + ", " + field), "") << field;
    EXPECT_EQ(problem(one + none + ", " + field), "") << field;
  }
}

const std::string call = R"({"id": "c1", "type": "function", "function":
  {"name": "f", "arguments": "{\"a\": [1, 2.5]}"}})";
std::string calling(const std::string &calls) {
  return R"({"role": "assistant", "content": null, "tool_calls": [)" + calls +
         "]}";
}
std::string result(const std::string &id) {
  return R"({"role": "tool", "content": "r", "tool_call_id": ")" + id + "\"}";
}

TEST(ToolFieldsTest, ReadsCallsAndResults) {
  auto messages =
      asked("", std::string(usual) + "," + calling(call) + "," + result("c1"))
          .conversation.messages;
  EXPECT_EQ(messages[1]["content"], "");
  auto &arguments = messages[1]["tool_calls"][0]["function"]["arguments"];
  EXPECT_EQ(arguments.dump(), R"({"a":[1,2.5]})");
  EXPECT_EQ(messages[2]["name"], "f");
  writeArgumentsAsText(messages);
  EXPECT_EQ(arguments, R"({"a":[1,2.5]})");
  EXPECT_FALSE(
      asked("", calling("")).conversation.messages[0].contains("tool_calls"));
}

TEST(ToolFieldsTest, RefusesWrongCallsAndResults) {
  auto of = [](const std::string &messages) { return problem("", messages); };
  EXPECT_EQ(of(calling(call) + "," + result("c2")),
            "messages: No message before it calls a function with the "
            "'tool_call_id' 'c2'.");
  EXPECT_NE(of(result("c1") + "," + calling(call)), "");
  EXPECT_EQ(of(R"({"role": "tool", "content": "r"})"),
            "messages: A message with the role 'tool' must have the "
            "'tool_call_id' of the call whose result it is.");
  EXPECT_EQ(of(calling(call + "," + call)),
            "messages: 'tool_calls' has two calls with the same 'id'.");
  EXPECT_EQ(of(R"({"role": "user", "content": "x", "tool_calls": [1]})"),
            "messages: Only messages with the role 'assistant' may have "
            "'tool_calls'.");
  for (const char *wrong :
       {"1", "{}", R"({"id": "c"})", R"({"id": "c", "function": 1})",
        R"({"id": "c", "function": {"name": ""}})",
        R"({"id": "", "function": {"name": "f"}})",
        R"({"id": "c", "type": "custom", "function": {"name": "f"}})",
        R"({"id": "c", "function": {"name": "f", "arguments": "{"}})",
        R"({"id": "c", "function": {"name": "f", "arguments": "[]"}})",
        R"({"id": "c", "function": {"name": "f", "arguments": 1}})",
        R"({"id": "c", "function": {"name": "f", "argument": "{}"}})"})
    EXPECT_TRUE(of(calling(wrong)).starts_with("messages: 'tool_calls': "))
        << wrong << of(calling(wrong));
  EXPECT_EQ(of(calling(R"({"id": "c", "function": {"name": "f",
                            "arguments": ""}})")),
            "");
}

} // namespace
