// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizer tables of programs: damaged ones are refused or do no harm.

#include "base/Error.h"
#include "compiler/tokenizer/Compile.h"
#include "runtime/tokenizer/Tokenizer.h"
#include "runtime/tokenizer/tables/Tables.h"
#include "test/unit/TemporaryDirectory.h"
#include "test/unit/tokenizer/TokenizerGolden.h"

#include <fmt/format.h>

#include <random>

using namespace transfold;
using runtime::Tokenizer;
using test::messageOf;

namespace {

std::string tablesOf(const std::string &name) {
  return tokenizer::compileTokenizer(checkpoint::TokenizerJson{
      name, test::readInput(name + "-tokenizer.json")});
}

TEST(TokenizerTables, AreTheSameEachTime) {
  EXPECT_EQ(tablesOf("unigram"), tablesOf("unigram"));
}

TEST(TokenizerTables, NoTokenizerHasNone) {
  EXPECT_EQ(tokenizer::compileTokenizer({}), "");
}

TEST(TokenizerTables, RefusesWhatIsNoTable) {
  std::string tables = tablesOf("wordpiece");
  auto message = [](std::string_view bytes) {
    return messageOf([&] { Tokenizer tokenizer(bytes); });
  };
  auto refusal = [](const char *how) {
    return fmt::format(
        "the program's tokenizer tables {}; compile the model again", how);
  };
  EXPECT_EQ(message(tables), "no error");
  EXPECT_EQ(message({}), refusal("end early"));
  EXPECT_EQ(message(std::string(100, 'x')),
            refusal("do not begin as tables do"));
  std::string other = tables;
  other[4] ^= 1;
  EXPECT_EQ(message(other), refusal("are of another version"));
  std::string moved = " " + tables;
  EXPECT_EQ(message(std::string_view(moved).substr(1)),
            refusal("do not lie at a multiple of 8"));
  for (size_t size = 8; size < tables.size(); size += 1 + tables.size() / 97)
    EXPECT_EQ(message(std::string(tables, 0, size)), refusal("end early"));
}

// Under AddressSanitizer, this checks that nothing outside of the tables is
// read.
TEST(TokenizerTables, DamageDoesNoHarm) {
  std::mt19937 random(1);
  for (const char *name : {"wordpiece", "byte-level", "unigram",
                           "byte-fallback", "character-map", "split"}) {
    std::string tables = tablesOf(name);
    for (int round = 0; round < 200; ++round) {
      std::string damaged = tables;
      for (int i = 0; i < 8; ++i)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      try {
        Tokenizer tokenizer(damaged);
        auto encoding = tokenizer.encode("Hello w\u00f6rld [MASK] 12");
        (void)tokenizer.decode(encoding.ids, true);
      } catch (const Error &) {
      }
    }
  }
}

} // namespace
