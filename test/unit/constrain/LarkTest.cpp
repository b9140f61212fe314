// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/Error.h"
#include "runtime/constrain/Constraint.h"

#include <gtest/gtest.h>

using namespace transfold;
using namespace transfold::runtime;

namespace {

void check(std::string_view grammar, std::vector<const char *> good,
           std::vector<const char *> bad) {
  std::vector<std::string> tokens = {"a"};
  auto index = std::make_shared<const TokenIndex>(tokens);
  const auto compiled = grammarConstraint(grammar);
  auto follows = [&](std::string_view text) {
    Matcher matcher(compiled, index);
    return matcher.appendText(text) && matcher.isComplete();
  };
  for (const char *text : good)
    EXPECT_TRUE(follows(text)) << text << " by " << grammar;
  for (const char *text : bad)
    EXPECT_FALSE(follows(text)) << text << " by " << grammar;
}

std::string problem(std::string_view grammar) {
  try {
    grammarConstraint(grammar);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

TEST(Lark, Expressions) {
  check("start: \"a\" | \"b\" \"c\"", {"a", "bc"}, {"", "b", "ab"});
  check("start: \"a\"* \"b\"+ [\"c\"] \"d\"?", {"b", "aabbcd"}, {"a", "bdc"});
  check("start: (\"a\" | \"b\")~2..3 \"c\"~2", {"abcc", "aaacc"},
        {"acc", "aaaacc", "abc"});
  check("start: \"x\"i /[0-9]{2}/ \"a\"..\"c\"", {"x12b", "X99c"},
        {"x1b", "x12d"});
  check("start: |\"a\"", {"", "a"}, {"b"});
  check("start: \"\\n\\x41\\u00e9\"", {"\nAé"}, {});
  check("?start: item -> one\n  | \"(\" start \")\"  // nested\n"
        "!item: /\\w/\n",
        {"a", "((b))"}, {"()", "(a"});
}

TEST(Lark, Recursion) {
  const char *sum = R"j(
    start: sum
    sum: sum "+" product | product
    product: product "*" atom | atom
    atom: NUMBER | "(" sum ")"
    NUMBER: DIGIT+
    DIGIT: "0".."9"
  )j";
  check(sum, {"1", "1+2*3", "(1+2)*(3)", "((1))"},
        {"", "+", "1+", "(1", "1)", "1**2"});
  check("start: \"a\" start \"b\" | \"a\" start \"c\" |", {"", "aabc", "aacb"},
        {"a", "aab"});
}

TEST(Lark, AmbiguousGrammarsStaySmall) {
  const char *grammar = R"(
    start: pair*
    pair: "a" pair? "b" | "a" pair? "c" | A pair "b"
    A: "a" | "aa"
  )";
  auto index =
      std::make_shared<const TokenIndex>(std::vector<std::string>{"a"});
  Matcher matcher(grammarConstraint(grammar), index);
  EXPECT_TRUE(matcher.appendText(std::string(2000, 'a')));
  EXPECT_TRUE(matcher.appendText(std::string(1000, 'b')));
  EXPECT_TRUE(matcher.appendText(std::string(1000, 'c')));
  EXPECT_TRUE(matcher.isComplete());
}

TEST(Lark, IgnoredTextsAndImports) {
  const char *list = R"j(
    start: "[" [item ("," item)*] "]"
    item: SIGNED_INT | ESCAPED_STRING | start
    %import common (SIGNED_INT, ESCAPED_STRING)
    %import common.WS_INLINE -> SPACE
    %ignore SPACE
  )j";
  check(list, {"[]", "[ 1 , -2,\"a\\\"b\" ]  ", "[[],[ ]]", " []"},
        {"[1 2]", "[- 1]", "[,]", "[\n]"});
}

TEST(Lark, MistakesAreNamed) {
  EXPECT_EQ(problem("a: \"b\""), "the grammar has no rule 'start'");
  EXPECT_EQ(problem("start: other"),
            "the grammar has in line 1 'other', which is not defined");
  EXPECT_EQ(problem("start: \"a\"\n  (\"b\""),
            "the grammar has in line 2 'the end' instead of ')'");
  EXPECT_EQ(problem("start: \"a\"\nstart: \"b\""),
            "the grammar has in line 2 a second definition of 'start'");
  EXPECT_NE(
      problem("start: a\na: b\nb: a \"x\" | \"y\"").find("left recursion"),
      std::string::npos);
  EXPECT_EQ(problem("start: start"), "the grammar has no text that ends");
  EXPECT_EQ(problem("start: \"a\" start"), "the grammar has no text that ends");
  EXPECT_NE(problem("start: /a(?=b)/").find("line 1 an expression that"),
            std::string::npos);
  EXPECT_NE(problem("start: /a/i").find("flags"), std::string::npos);
  EXPECT_NE(problem("start: \"\"").find("an empty text"), std::string::npos);
  EXPECT_NE(problem("%import python.x\nstart: x").find("line 1 an import"),
            std::string::npos);
  EXPECT_NE(problem("start: A\nA: b\nb: \"x\"").find("a terminal that uses"),
            std::string::npos);
  EXPECT_NE(problem("start: \"a").find("without its end"), std::string::npos);
  EXPECT_NE(problem("start{a}: \"a\"").find("not supported"),
            std::string::npos);
  EXPECT_NE(problem(std::string(500, '(')).find("line 1"), std::string::npos);
  EXPECT_NE(problem("start: " + std::string(500, '(')).find("nested deeper"),
            std::string::npos);
  EXPECT_NE(problem("start: ((\"a\"~1000)~1000)~1000 \"b\""), "");
  EXPECT_NE(problem("\xff").find("UTF-8"), std::string::npos);
}

} // namespace
