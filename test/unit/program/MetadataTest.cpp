// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's metadata is part of its executable, and may be damaged.

#include "runtime/program/metadata/Metadata.h"

#include "base/Error.h"

#include <gtest/gtest.h>

using namespace transfold;
using namespace transfold::runtime;

namespace {

/// The metadata of a program with 9 tokens, of which 8 have logits.
Metadata withTask(const std::string &task) {
  return Metadata::parse(R"({
    "model": "m", "weights": {"bytes": 0},
    "entries": [{"name": "decode", "lengths": ["n"],
      "arguments": [{"name": "tokens", "kind": "integer", "shape": ["n"],
                     "bound": 9}],
      "results": [{"name": "logits", "shape": ["n", 8]}]}],
    "tasks": [)" + task + "]}");
}

Task task(const std::string &options) {
  return withTask(R"({"kind": "generate", "entries": ["decode"], "options": )" +
                  options + "}")
      .tasks.at(0);
}

std::string problem(const std::string &options) {
  try {
    task(options);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

using Tokens = std::vector<int32_t>;

TEST(Metadata, TokensOfTasks) {
  EXPECT_EQ(task(R"({"start": 8, "stop": [7, 0]})").start, Tokens{8});
  EXPECT_EQ(task(R"({"start": 8, "stop": [7, 0]})").stop, (Tokens{7, 0}));
  EXPECT_EQ(task(R"({"stop": []})").stop, Tokens());
  EXPECT_EQ(task(R"({"stop": null})").stop, Tokens());
  EXPECT_EQ(task(R"({"stop": {}})").stop, Tokens());
  EXPECT_EQ(task("{}").stop, Tokens());
}

TEST(Metadata, WhatIsNoTokenIsDamage) {
  for (const char *wrong :
       {"8", "-1", "4294967296", "18446744073709551615", "1e3", "2.7", "true",
        "\"2\"", "[[2]]", "[1, null]", "{\"id\": 1}"})
    EXPECT_TRUE(problem(std::string(R"({"stop": )") + wrong + "}")
                    .starts_with("the program's metadata is damaged: "))
        << wrong << ": " << problem(std::string(R"({"stop": )") + wrong + "}");
  EXPECT_NE(problem(R"({"start": 9})").find("the model knows 0 to 8"),
            std::string::npos);
}

/// An entry with the lengths n and m.
Entry withWork(const std::string &operations) {
  return Metadata::parse(R"({
    "model": "m", "weights": {"bytes": 0},
    "entries": [{"name": "step", "lengths": ["n", "m"], "arguments": [],
      "results": [], "work": [{"kernel": "k", "launches": 6,
        "weight_bytes": 40, "operations": )" +
                         operations + "}]}]}")
      .entries.at(0);
}

TEST(Metadata, WorkGrowsWithLengths) {
  Entry entry = withWork(R"([[8, []], [2.5, ["m"]], [4, ["n", "m.seen"]]])");
  ASSERT_EQ(entry.work.size(), 1u);
  const Work &work = entry.work[0];
  EXPECT_EQ(work.kernel, "k");
  EXPECT_EQ(work.launches, 6);
  EXPECT_EQ(work.weightBytes, 40u);
  ASSERT_EQ(work.terms.size(), 3u);
  EXPECT_EQ(work.terms[1].operations, 2.5);
  using Lengths = std::vector<size_t>;
  EXPECT_EQ(work.terms[0].lengths, Lengths());
  EXPECT_EQ(work.terms[1].lengths, Lengths{1});
  EXPECT_EQ(work.terms[2].lengths, (Lengths{0, 3})); // two lengths, then `seen`
}

TEST(Metadata, WorkThatNobodyCanCountIsLeftOut) {
  EXPECT_TRUE(withWork(R"([[4, ["n", "chosen"]]])").work.empty());
  EXPECT_THROW(withWork(R"([[4]])"), Error);
  EXPECT_THROW(withWork(R"([["4", []]])"), Error);
}

TEST(Metadata, TasksHaveEntries) {
  EXPECT_THROW(withTask(R"({"kind": "embed", "entries": []})"), Error);
  EXPECT_THROW(withTask(R"({"kind": "embed", "entries": ["encode"]})"), Error);
}

} // namespace
