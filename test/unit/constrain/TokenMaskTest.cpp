// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/Error.h"
#include "runtime/constrain/Constraint.h"

#include <gtest/gtest.h>

#include <random>

using namespace transfold;
using namespace transfold::runtime;

namespace {

/// Tokens of random pieces, and all bytes.
std::vector<std::string> randomTokens(std::mt19937 &random, size_t count) {
  static const char *const pieces[] = {"a",  "b",  "Z",  "_", "0",    "1",
                                       " ",  "\"", "\\", "n", "\n",   "é",
                                       "日", "{",  "}",  ":", "\xC3", ","};
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte)
    tokens.emplace_back(1, static_cast<char>(byte));
  tokens.emplace_back(); // a special token
  tokens.emplace_back(100, 'a');
  tokens.push_back(std::string(40, ' ') + "\"");
  while (tokens.size() < count) {
    std::string token;
    for (size_t left = 1 + random() % 6; left > 0; --left)
      token += pieces[random() % std::size(pieces)];
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<uint32_t> allowed(Matcher &matcher) {
  std::vector<uint32_t> result;
  const TokenBits &bits = matcher.tokens();
  for (uint32_t token = 0; token < 64 * bits.size(); ++token)
    if (bits[token / 64] >> token % 64 & 1)
      result.push_back(token);
  return result;
}

/// The tokens whose bytes can be appended one by one.
std::vector<uint32_t> allowedByBytes(const Matcher &matcher,
                                     const std::vector<std::string> &tokens) {
  std::vector<uint32_t> result;
  for (uint32_t token = 0; token < tokens.size(); ++token)
    if (!tokens[token].empty() && Matcher(matcher).append(token))
      result.push_back(token);
  return result;
}

std::vector<std::shared_ptr<const Grammar>> grammars() {
  return {
      schemaConstraint(std::string_view("{}")),
      objectConstraint(),
      schemaConstraint(std::string_view(
          R"({"type": "string", "minLength": 5, "maxLength": 7})")),
      schemaConstraint(
          std::string_view(R"({"type": "string", "maxLength": 300})")),
      schemaConstraint(std::string_view(
          R"({"type": "string", "minLength": 40, "maxLength": 150})")),
      schemaConstraint(
          std::string_view(R"({"type": "string", "pattern": "^\\w+$"})")),
      schemaConstraint(std::string_view(
          R"({"type": "object", "properties": {"a": {}, "ab\"": {}, "é": {}}})")),
      schemaConstraint(std::string_view(
          R"({"anyOf": [{"enum": ["a", "a\n"]}, {"type": "string",
          "maxLength": 100}, {"type": "string", "pattern": "^aa"}]})")),
      regexConstraint(".*"),
      regexConstraint("[^]*"),
      regexConstraint("(\\w{3,9}[ \\n])*"),
      grammarConstraint("start: (/[a-z]+/ | \"\\n\" start \"{\" )+"),
  };
}

TEST(TokenMask, IsWhatTheBytesOfTheTokensGive) {
  std::mt19937 random(7);
  const auto tokens = randomTokens(random, 900);
  for (bool dropsSpace : {false, true}) {
    auto index = std::make_shared<const TokenIndex>(tokens, dropsSpace);
    size_t number = 0;
    for (const auto &grammar : grammars()) {
      ++number;
      for (int text = 0; text < 3; ++text) {
        Matcher matcher(grammar, index);
        for (int i = 0; i < 20; ++i) {
          const auto mine = allowed(matcher);
          ASSERT_EQ(mine, allowedByBytes(matcher, tokens)) << number;
          if (mine.empty())
            break;
          ASSERT_TRUE(matcher.append(mine[random() % mine.size()]));
        }
      }
    }
  }
}

TEST(TokenMask, CopiesGoOnIndependently) {
  auto index = std::make_shared<const TokenIndex>(
      std::vector<std::string>{"a", "b", "ab", "\""});
  Matcher one(regexConstraint("(ab)*"), index);
  Matcher other(one);
  EXPECT_TRUE(one.append(0));
  EXPECT_FALSE(one.isComplete());
  EXPECT_TRUE(other.isComplete());
  EXPECT_FALSE(other.append(1));
  EXPECT_TRUE(other.append(2)) << "a refused token changes nothing";
  one = other;
  EXPECT_TRUE(one.isComplete());
  EXPECT_FALSE(one.append(3));
  EXPECT_FALSE(one.append(1000));
}

TEST(TokenMask, WhatMustFollowIsForced) {
  auto index = std::make_shared<const TokenIndex>(
      std::vector<std::string>{"{\"name\": ", "{\"na", "\"x", "\"", "x"});
  Matcher matcher(schemaConstraint(std::string_view(
                      R"({"type": "object", "properties": {"name":
          {"const": "x"}}, "required": ["name"],
          "additionalProperties": false})")),
                  index);
  EXPECT_EQ(matcher.forcedText(), "{\"name\":");
  EXPECT_EQ(matcher.forcedText(3), "{\"n");
  EXPECT_EQ(matcher.forcedToken(), std::nullopt);
  EXPECT_TRUE(matcher.append(0));
  EXPECT_EQ(matcher.forcedText(), "\"x\"}");
  EXPECT_TRUE(matcher.append(2));
  EXPECT_EQ(matcher.forcedToken(), 3U);
  EXPECT_TRUE(matcher.appendText("\"}"));
  EXPECT_TRUE(matcher.isComplete());
  EXPECT_EQ(matcher.forcedText(), "");
  EXPECT_EQ(matcher.forcedToken(), std::nullopt);
  EXPECT_EQ(allowed(matcher), std::vector<uint32_t>());
}

TEST(TokenMask, LongTextsNeedLittleMemory) {
  std::mt19937 random(3);
  const auto tokens = randomTokens(random, 600);
  auto index = std::make_shared<const TokenIndex>(tokens);
  // Each character is a state of its own, and so is each depth.
  Matcher counted(schemaConstraint(std::string_view(
                      R"({"type": "string", "maxLength": 100000})")),
                  index);
  EXPECT_TRUE(counted.appendText("\""));
  for (int i = 0; i < 30000; ++i) {
    ASSERT_TRUE(counted.append('a'));
    if (i % 2997 == 0)
      ASSERT_EQ(allowed(counted), allowedByBytes(counted, tokens));
  }
  EXPECT_TRUE(counted.appendText("\""));
  EXPECT_TRUE(counted.isComplete());
  Matcher deep(schemaConstraint(std::string_view("{}")), index);
  for (int i = 0; i < 5000; ++i)
    ASSERT_TRUE(deep.append('['));
  for (int i = 0; i < 5000; ++i)
    ASSERT_TRUE(deep.append(']'));
  EXPECT_TRUE(deep.isComplete());
}

} // namespace
