// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/cli/CommandWords.h"

#include <gtest/gtest.h>

using transfold::runtime::CommandWords;

namespace {

using Words = std::vector<std::string>;

CommandWords wordsOf(const std::vector<const char *> &given) {
  static constexpr std::string_view lists[] = {"--eos", "--start"};
  return {given, lists};
}

TEST(CommandWords, ListsEndWithTheirNumbers) {
  EXPECT_EQ(wordsOf({"generate", "--eos", "2", "Hello"}).words,
            (Words{"generate", "--eos=2", "Hello"}));
  EXPECT_EQ(wordsOf({"--eos", "2", "3", "Hello", "4"}).words,
            (Words{"--eos=2", "--eos=3", "Hello", "4"}));
  EXPECT_EQ(
      wordsOf({"--eos=2", "-1", "--start", "5", "--beams", "3", "x"}).words,
      (Words{"--eos=2", "--eos=-1", "--start=5", "--beams", "3", "x"}));
  EXPECT_EQ(wordsOf({"--start", "1", "--eos", "2"}).words,
            (Words{"--start=1", "--eos=2"}));
}

TEST(CommandWords, WrongNumbersStayWithTheirOption) {
  EXPECT_EQ(wordsOf({"--eos", "x", "2"}).words, (Words{"--eos=x", "--eos=2"}));
  EXPECT_EQ(wordsOf({"--eos"}).words, (Words{"--eos"}));
  EXPECT_EQ(wordsOf({"--eos", "1e3", "12x", "+", ""}).words,
            (Words{"--eos=1e3", "12x", "+", ""}));
}

TEST(CommandWords, BehindDashesAreTexts) {
  CommandWords read = wordsOf({"embed", "a", "--", "-b", "--eos", "2", "--"});
  EXPECT_EQ(read.words, (Words{"embed", "a"}));
  EXPECT_EQ(read.texts, (Words{"-b", "--eos", "2", "--"}));
  EXPECT_EQ(wordsOf({"--eos", "2", "--", "3"}).texts, (Words{"3"}));
}

} // namespace
