// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/automaton/Regex.h"
#include "runtime/constrain/automaton/JsonString.h"

#include <gtest/gtest.h>

#include <regex>

using namespace transfold;
using namespace transfold::runtime;

namespace {

Dfa whole(std::string_view regex) {
  ConstraintBudget budget;
  return regexDfa(regex, TextForm::Plain, RegexMatch::Whole, budget);
}

std::string problem(std::string_view regex) {
  try {
    whole(regex);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

/// All texts of these letters of up to `most` letters.
std::vector<std::string> textsOf(std::string_view letters, size_t most) {
  std::vector<std::string> texts = {""};
  for (size_t i = 0; i < texts.size(); ++i)
    if (texts[i].size() < most)
      for (char letter : letters)
        texts.push_back(texts[i] + letter);
  return texts;
}

/// std::regex has the same syntax by default.
TEST(Regex, MatchesWhatTheStandardLibraryMatches) {
  for (const char *regex : {"",          "a",
                            "a|b",       "ab|",
                            "(a|b)*c",   "a{2,3}b?",
                            "a{2}",      "a{1,}",
                            "(ab)+",     "[a-b]+c",
                            "[^a]*",     "a.c",
                            "a*?b",      "(?:a|bc)*",
                            "^a",        "c$",
                            "^(a|b)$",   "^a|b$",
                            "a(b|c$)",   "(^a|b)c",
                            "((a?)*b)*", "[ab]{0,2}c{3}",
                            "\\w\\d?",   "[\\w]+",
                            "$",         "^",
                            "a$|^b",     "(a$)?",
                            "(|a)b"}) {
    const std::regex reference(regex);
    ConstraintBudget budget;
    const Dfa all = whole(regex),
              part = regexDfa(regex, TextForm::Plain, RegexMatch::Part, budget);
    for (const std::string &text : textsOf("abc", 5)) {
      EXPECT_EQ(all.matches(text), std::regex_match(text, reference))
          << regex << " on " << text;
      EXPECT_EQ(part.matches(text), std::regex_search(text, reference))
          << regex << " in " << text;
    }
  }
}

TEST(Regex, CharactersAreCodePoints) {
  EXPECT_TRUE(whole("^.{2}$").matches("é😀"));
  EXPECT_FALSE(whole(".").matches("ab"));
  EXPECT_FALSE(whole(".").matches("\n"));
  EXPECT_TRUE(whole("[^a]").matches("\n"));
  EXPECT_TRUE(whole("[à-ü]+").matches("éè"));
  EXPECT_TRUE(whole("\\u00e9\\xe9\\u{1f600}\\ud83d\\ude00").matches("éé😀😀"));
  EXPECT_FALSE(whole("[^a]").matches("\xC3")) << "half of a character";
  EXPECT_FALSE(whole("[^a]*").matches("\xED\xA0\x80")) << "a surrogate";
  EXPECT_TRUE(whole("\\s\\S").matches(" x"));
  EXPECT_FALSE(whole("\\S").matches("\u00a0"));
  EXPECT_TRUE(whole("[]|a").matches("a"));
  EXPECT_TRUE(whole("[^]").matches("a"));
  EXPECT_TRUE(whole("a{b}]").matches("a{b}]")) << "no quantifier";
}

TEST(Regex, MatchesTextsAsJsonWritesThem) {
  ConstraintBudget budget;
  const Dfa dfa =
      regexDfa("^[^a]\\n$", TextForm::Json, RegexMatch::Part, budget);
  EXPECT_TRUE(dfa.matches(R"(x\n)"));
  EXPECT_TRUE(dfa.matches(R"(\"\n)"));
  EXPECT_TRUE(dfa.matches(R"(\u001f\n)"));
  EXPECT_FALSE(dfa.matches("x\n"));
  EXPECT_FALSE(dfa.matches(R"(\u0061\n)")) << "a, in another form";
  const Dfa any =
      regexDfa(anyJsonCharacter, TextForm::Plain, RegexMatch::Whole, budget);
  for (const char *text : {"a", "é", R"(\")", R"(\/)", R"(\u0000)", R"(\uD7ff)",
                           R"(\uD83D\uDE00)", R"(\ue000)"})
    EXPECT_TRUE(any.matches(text)) << text;
  for (const char *text : {"\"", "\n", R"(\x)", R"(\u12)", R"(\uD83D)",
                           R"(\uDE00)", R"(\uD83Da)", "ab"})
    EXPECT_FALSE(any.matches(text)) << text;
}

TEST(Regex, MistakesAreNamed) {
  EXPECT_EQ(problem("a("), "has '(' at 2 without ')'");
  EXPECT_EQ(problem("a)"), "has ')' at 2 without '('");
  EXPECT_EQ(problem("*a"), "repeats nothing at 1");
  EXPECT_EQ(problem("a**"), "has two quantifiers before 4");
  EXPECT_EQ(problem("[b-a]"),
            "has a range before 5 whose ends are in the wrong order");
  EXPECT_EQ(problem("[ab"), "has '[' at 1 without ']'");
  EXPECT_EQ(problem("a\\"), "ends too early");
  EXPECT_NE(problem("(?=a)").find("group at 1 that is not supported"),
            std::string::npos);
  EXPECT_NE(problem("(?<!a)").find("not supported"), std::string::npos);
  EXPECT_NE(problem("(a)\\1").find("'\\1'"), std::string::npos);
  EXPECT_NE(problem("\\bword").find("'\\b'"), std::string::npos);
  EXPECT_NE(problem("\\p{L}").find("'\\p'"), std::string::npos);
  EXPECT_NE(problem("^*").find("reads nothing"), std::string::npos);
  EXPECT_EQ(problem("a{2,1}"),
            "has a quantifier before 7 whose numbers are in the wrong order");
  EXPECT_NE(problem(std::string(1000, '(')).find("nested deeper"),
            std::string::npos);
  EXPECT_NE(problem("\xff"), "none");
}

TEST(Regex, BombsAreStopped) {
  for (const char *regex :
       {"(a?){1000}a{1000}", "((a{100}){100}){100}", "(.*a){20}.{30}",
        "(a|b)*a(a|b){30}", "(()){99999999}", "[^]{100000}"})
    EXPECT_NE(problem(regex).find("needs too much"), std::string::npos)
        << regex;
  EXPECT_NE(problem("a{1000000000}").find("too large"), std::string::npos);
}

} // namespace
