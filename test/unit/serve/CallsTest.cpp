// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grammars of answers that call functions, and the calls that are read back
// from texts in pieces.

#include "../chat/CallTemplates.h"
#include "base/Error.h"
#include "runtime/constrain/match/Matcher.h"
#include "runtime/serve/api/Replies.h"
#include "runtime/serve/calls/AnswerReader.h"
#include "runtime/serve/calls/CallGrammar.h"

#include <gtest/gtest.h>

using namespace transfold;
using namespace transfold::runtime;
using namespace transfold::runtime::serve;
using nlohmann::ordered_json;
using Choice = AskedTools::Choice;

namespace {

AskedTools toolsOf(Choice choice, bool mayBeSeveral = true) {
  const ordered_json town = {{"type", "object"},
                             {"properties", {{"town", {{"type", "string"}}}}},
                             {"required", {"town"}},
                             {"additionalProperties", false}};
  const ordered_json nothing = {{"type", "object"},
                                {"properties", ordered_json::object()},
                                {"additionalProperties", false}};
  return {{{"weather", town}, {"clock", nothing}}, choice, mayBeSeveral};
}

/// Whether texts are answers.
class Answers {
public:
  Answers(std::string_view source, const AskedTools &tools)
      : grammar(callGrammar(test::syntaxOf(source), tools)) {}
  bool operator()(std::string_view text) const {
    Matcher matcher(grammar, index);
    return matcher.appendText(text) && matcher.isComplete();
  }

private:
  std::shared_ptr<const Grammar> grammar;
  std::shared_ptr<const TokenIndex> index =
      std::make_shared<const TokenIndex>(std::vector<std::string>{"a"});
};

const std::string weather =
    "<tool_call>\n{\"name\": \"weather\", \"arguments\": "
    "{\"town\": \"Bern\"}}\n</tool_call>";
const std::string clockCall =
    "<tool_call>\n{\"name\": \"clock\", \"arguments\": {}}\n</tool_call>";

TEST(CallsTest, GrammarOfHermes) {
  const Answers any(test::hermesTemplate, toolsOf(Choice::Auto)),
      one(test::hermesTemplate, toolsOf(Choice::Auto, false)),
      forced(test::hermesTemplate, toolsOf(Choice::Required)),
      none(test::hermesTemplate, toolsOf(Choice::None));
  for (const char *text : {"", "Hello.", "a <tool_ca", "<tool<tool"}) {
    EXPECT_TRUE(any(text) && one(text) && none(text)) << text;
    EXPECT_FALSE(forced(text)) << text;
  }
  EXPECT_TRUE(any(weather) && one(weather) && forced(weather));
  EXPECT_FALSE(none(weather));
  const std::string both = weather + "\n" + clockCall;
  EXPECT_TRUE(any(both) && forced(both) && any("Yes:\n" + both));
  EXPECT_FALSE(one(both) || forced("Yes:\n" + both));
  for (const std::string &wrong :
       {weather + ".", weather + clockCall, std::string("<tool_call>"),
        "<tool_call>" + weather, weather.substr(0, weather.size() - 1),
        std::string("<tool_call>\n{\"name\": \"clock\", \"arguments\": "
                    "{\"a\": 1}}\n</tool_call>"),
        std::string("<tool_call>\n{\"name\": \"cl\", \"arguments\": "
                    "{}}\n</tool_call>")})
    EXPECT_FALSE(any(wrong) || forced(wrong)) << wrong;
}

TEST(CallsTest, GrammarsOfOthers) {
  const Answers llama(test::llamaTemplate, toolsOf(Choice::Auto)),
      forced(test::llamaTemplate, toolsOf(Choice::Required)),
      mistral(test::mistralTemplate, toolsOf(Choice::Auto));
  const std::string call = "{\"name\": \"clock\", \"parameters\": {}}";
  EXPECT_TRUE(llama(call) && forced(call) && llama("\n" + call));
  EXPECT_FALSE(forced("\n" + call) || llama(call + "\n") || llama(call + call));
  // Beside the beginning, the same text is a text.
  EXPECT_TRUE(llama("It is {\"name\": \"x\"}.") && llama("{\"name\":"));
  EXPECT_FALSE(llama("{\"name\": \"x\"}"));
  EXPECT_TRUE(
      mistral("[TOOL_CALLS] [{\"name\": \"clock\", \"arguments\": {}}, "
              "{\"name\": \"weather\", \"arguments\": {\"town\":\"\"}}]"));
  EXPECT_FALSE(mistral("[TOOL_CALLS] []"));
}

TEST(CallsTest, SchemasThatCannotBeFollowed) {
  auto problem = [](ordered_json schema) {
    schema["type"] = "object";
    try {
      callGrammar(test::syntaxOf(test::hermesTemplate), {{{"f", schema}}});
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(problem({{"not", ordered_json::object()}}),
            "the function 'f': the schema's 'not' at '#' is not supported");
  EXPECT_EQ(
      problem({{"required", {"a"}},
               {"properties", {{"a", {{"enum", ordered_json::array()}}}}}})
          .substr(0, 18),
      "the function 'f': ");
  ordered_json deep = ordered_json::object();
  for (int i = 0; i < 60; ++i)
    deep = {{"type", "array"}, {"items", deep}, {"maxItems", 1000000000}};
  EXPECT_EQ(problem({{"properties", {{"a", deep}}}}), "none");
}

/// The marks of thoughts in the tests.
AnswerForms formsOf(std::string_view source, bool hasThoughts = false) {
  AnswerForms forms;
  if (!source.empty())
    forms.calls = std::make_shared<const runtime::chat::CallSyntax>(
        test::syntaxOf(source));
  if (hasThoughts)
    forms.thoughts = std::make_shared<const runtime::chat::ThoughtSyntax>(
        runtime::chat::ThoughtSyntax{"<think>", "</think>"});
  return forms;
}

/// How an answer is read.
struct Reading {
  std::string_view source; // of the syntax of calls; empty: there are none
  bool hasThoughts = false, isThinking = false;
};

/// The text, the thought and the calls of an answer that arrives in pieces.
WholeAnswer read(const Reading &how,
                 const std::vector<std::string_view> &pieces) {
  AnswerReader reader(formsOf(how.source, how.hasThoughts), CallIds(1, false),
                      how.isThinking);
  WholeAnswer answer;
  for (std::string_view piece : pieces)
    for (const AnswerPart &part : reader.read(piece))
      answer.add(part);
  for (const AnswerPart &part : reader.finish())
    answer.add(part);
  EXPECT_EQ(reader.calls(), answer.calls.size());
  return answer;
}
std::string shown(const WholeAnswer &answer) {
  std::string text = "[" + answer.content.text + "]";
  if (!answer.thought.empty())
    text = "(" + answer.thought + ") " + text;
  for (const FunctionCall &call : answer.calls)
    text += " " + call.name + call.arguments;
  return text;
}

/// Reads a text as a whole, in two pieces at every place, and byte by byte.
void check(const Reading &how, const std::string &text,
           const std::string &expected) {
  EXPECT_EQ(shown(read(how, {text})), expected);
  const std::string_view view = text;
  std::vector<std::string_view> bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_EQ(shown(read(how, {view.substr(0, i), view.substr(i)})), expected)
        << i;
    bytes.push_back(view.substr(i, 1));
  }
  EXPECT_EQ(shown(read(how, bytes)), expected);
}

TEST(CallsTest, ReadsPieces) {
  check({test::hermesTemplate}, weather, "[] weather{\"town\": \"Bern\"}");
  check({test::hermesTemplate}, "Wait: é\n" + weather + "\n" + clockCall,
        "[Wait: é] weather{\"town\": \"Bern\"} clock{}");
  check({test::hermesTemplate},
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": "
        "\"}\\\"}</tool_call>é\", \"b\": [{}, {\"c\": {}}]}}\n</tool_call>",
        "[] f{\"a\": \"}\\\"}</tool_call>é\", \"b\": [{}, {\"c\": {}}]}");
  for (const std::string text : {"", "Hello.", " <tool_ca", "<tool<tool_call> ",
                                 "\n\n", "a <tool_call>\n{\"name\": "})
    check({test::hermesTemplate}, text, "[" + text + "]");
  check({test::llamaTemplate}, "{\"name\": \"f\", \"parameters\": {\"a\":1}}",
        "[] f{\"a\":1}");
  check({test::llamaTemplate}, "\n{\"name\": \"f\", \"parameters\": {}}",
        "[] f{}");
  for (const std::string text :
       {"{\"name\":", "{\"nome\": 1}", "a {\"name\": \"f\"}", " {", " \n"})
    check({test::llamaTemplate}, text, "[" + text + "]");
  check({test::mistralTemplate},
        "[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {}}, {\"name\": "
        "\"g\", \"arguments\": {\"a\": [1]}}]",
        "[] f{} g{\"a\": [1]}");
  // Cut by the maximum number of tokens.
  check({test::hermesTemplate}, weather.substr(0, 55),
        "[] weather" + weather.substr(45, 10));
}

TEST(CallsTest, ReadsThoughts) {
  const Reading plain{"", true}, begun{"", true, true},
      hermes{test::hermesTemplate, true}, llama{test::llamaTemplate, true},
      begunHermes{test::hermesTemplate, true, true};
  const std::string thought = "\n<think>\nLet me < see.\n</think>\n\n",
                    told = "(Let me < see.) ";
  check(plain, thought + "Yes.\n", told + "[Yes.\n]");
  check(plain, "Yes.", "[Yes.]");
  check(plain, "Yes <think> no", "[Yes <think> no]");
  check(plain, "<think></think>Yes.", "[Yes.]");
  check(plain, "<think>Cut </th", "(Cut </th) []");
  check(plain, "<thin", "[<thin]");
  check(begun, "\nSo </think>\nYes.", "(So) [Yes.]");
  check(begun, "Cut", "(Cut) []");
  check(hermes, thought + weather, told + "[] weather{\"town\": \"Bern\"}");
  check(hermes, thought + "Yes. " + weather,
        told + "[Yes.] weather{\"town\": \"Bern\"}");
  check(hermes, weather, "[] weather{\"town\": \"Bern\"}");
  check(begunHermes, "So " + weather, "(So) [] weather{\"town\": \"Bern\"}");
  const std::string call = "{\"name\": \"f\", \"parameters\": {}}";
  check(llama, call, "[] f{}");
  check(llama, thought + call, told + "[" + call + "]");
}

TEST(CallsTest, ShowsPartsEarly) {
  AnswerReader reader(formsOf(test::hermesTemplate), CallIds(1, false));
  auto told = [&](std::string_view piece) {
    std::string text;
    for (const AnswerPart &part : reader.read(piece))
      text += part.isOfCall ? part.name + part.arguments : part.text;
    return text;
  };
  EXPECT_EQ(told("One <"), "One");
  EXPECT_EQ(told("b> two\n"), " <b> two");
  EXPECT_EQ(told("<tool_call>\n{\"name\": \"weath"), "");
  EXPECT_EQ(told("er\", \"arguments\": {\"to"), "weather{\"to");
  EXPECT_EQ(told("wn\": \"é\"}"), "wn\": \"é\"}");
  EXPECT_EQ(told("}\n</tool_call>"), "");
}

TEST(CallsTest, Ids) {
  CallIds one(1, false), again(1, false), other(2, false), brief(1, true);
  const std::string first = one.next();
  EXPECT_EQ(first.size(), 29U);
  EXPECT_EQ(first.substr(0, 5), "call_");
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef", 5), first.npos);
  EXPECT_EQ(first, again.next());
  EXPECT_NE(first, one.next());
  EXPECT_NE(first, other.next());
  EXPECT_EQ(brief.next().size(), 9U);
  const std::vector<int32_t> prompt = {1, 2};
  EXPECT_NE(seedOfIds(1, prompt), seedOfIds(1, {}));
}

} // namespace
