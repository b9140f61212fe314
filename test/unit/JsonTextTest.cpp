// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of others: its limits, and time that grows with its size.

#include "runtime/files/JsonText.h"
#include "runtime/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

using namespace transfold;
using nlohmann::ordered_json;
using runtime::parseJsonText;

static std::string problem(std::string_view text,
                           const runtime::JsonLimits &limits = {}) {
  try {
    parseJsonText(text, limits);
  } catch (const runtime::Error &error) {
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

/// How many times as long twice as much takes, of two doublings; the least of
/// some tries counts.
static double growth(const std::function<std::string(int)> &textOf) {
  auto ticks = [](const std::string &text) {
    double least = 1e9;
    for (int i = 0; i < 9; ++i) {
      // Of the processor: others use the machine too.
      auto begin = std::clock();
      (void)parseJsonText(text, {.depth = 1 << 20});
      least = std::min(least, static_cast<double>(std::clock() - begin));
    }
    return least;
  };
  return std::sqrt(ticks(textOf(160'000)) / ticks(textOf(40'000)));
}

TEST(JsonText, TakesLinearTime) {
  auto repeated = [](const std::string &open, const std::string &item,
                     const std::string &close) {
    return [=](int count) {
      std::string text = open;
      for (int i = 0; i < count; ++i)
        text += (i ? "," : "") + item;
      return text + close;
    };
  };
  // Of a quadratic reader it is four; caches that become too small are less.
  EXPECT_LT(growth(repeated("[", "{}", "]")), 3.5);
  EXPECT_LT(growth(repeated("[", "[]", "]")), 3.5);
  EXPECT_LT(growth(repeated("[", R"({"role":"user","content":"x"})", "]")),
            3.5);
  EXPECT_LT(growth([](int count) {
              std::string text = "{";
              for (int i = 0; i < count; ++i)
                text += (i ? ",\"" : "\"") + std::to_string(i) + "\":{}";
              return text + "}";
            }),
            3.5);
}
