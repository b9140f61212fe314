// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of JSON from untrusted files.
// test/fuzz/growth/RuntimeGrowthTest.cpp tests that time grows in proportion to
// size.

#include "base/text/JsonText.h"
#include "base/Error.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace transfold;
using nlohmann::ordered_json;

static std::string problem(std::string_view text,
                           const JsonLimits &limits = {}) {
  try {
    parseJsonText(text, limits);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

TEST(JsonText, ReadsWhatNlohmannReads) {
  for (const char *text :
       {"1", "-2.5e3", "\"a\\u00e9\\n\"", "null", "[]", "{}", "[1, [2, {}]]",
        R"({"a": [true, {"b": null}], "c": {"d": 18446744073709551615}})",
        R"({"b": 1, "a": 2, "b": [3]})", R"([{"a": {}}, {"a": []}, ""])"})
    EXPECT_EQ(parseJsonText(text, {}).dump(), ordered_json::parse(text).dump());
  std::string wide = "{";
  for (int i = 0; i < 100; ++i)
    wide += "\"" + std::to_string(i % 60) + "\": " + std::to_string(i) + ", ";
  wide += "\"last\": 0}";
  EXPECT_EQ(parseJsonText(wide, {}).dump(), ordered_json::parse(wide).dump());
}

TEST(JsonText, HasLimits) {
  EXPECT_EQ(problem("[[[]]]", {.depth = 3}), "none");
  EXPECT_EQ(problem("[[{\"a\": []}]]", {.depth = 3}),
            "is nested deeper than 3 levels");
  EXPECT_EQ(problem(R"({"a": 1, "b": 2, "a": 3})", {.names = 2}), "none");
  EXPECT_EQ(problem(R"({"a": 1, "b": 2, "c": 3})", {.names = 2}),
            "has an object of more than 2 names");
  EXPECT_EQ(problem("[123456789012345678901]"), "none");
  EXPECT_EQ(problem("[123456789012345678901]", {.exactIntegers = true}),
            "has an integer beyond 64 bits, 123456789012345678901; write it as "
            "a text");
  EXPECT_EQ(problem("{\"a\": 1,\n ]").substr(0, 36),
            "is not JSON: line 2, column 2: synta");
  EXPECT_EQ(problem("\"\xff\"").substr(0, 12), "is not JSON:");
  EXPECT_EQ(problem("1e999").substr(0, 12), "is not JSON:");
  EXPECT_EQ(problem("").substr(0, 12), "is not JSON:");
}
