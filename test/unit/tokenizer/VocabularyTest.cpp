// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash table of a vocabulary: every token is found, no other text is, and
// damaged tables are an error.

#include "runtime/tokenizer/tables/Vocabulary.h"
#include "base/Error.h"
#include "compiler/tokenizer/VocabularyBuilder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace transfold;
using runtime::Vocabulary;
using tokenizer::Storage;
using tokenizer::VocabularyBuilder;

static std::string tokenText(int k) {
  return k % 7 ? fmt::format("token{}", k) : fmt::format("{}", k);
}

TEST(Vocabulary, FindsItsTokensOnly) {
  for (int count : {0, 1, 2, 3, 100, 70000}) {
    VocabularyBuilder builder;
    for (int k = 0; k < count; ++k)
      EXPECT_TRUE(builder.insert(tokenText(k), k));
    Storage storage;
    const Vocabulary words = builder.finish(storage);
    EXPECT_TRUE(words.ids.empty()); // entry k has id k
    EXPECT_LE(words.size() * 3, words.slots.size() * 2);
    for (int k = 0; k < count; ++k) {
      ASSERT_EQ(words.find(tokenText(k)), k);
      ASSERT_EQ(words.token(k), tokenText(k));
      ASSERT_EQ(words.find(tokenText(k) + "x"), std::nullopt);
    }
    EXPECT_EQ(words.find(""), std::nullopt);
    EXPECT_EQ(words.token(-1), std::nullopt);
    EXPECT_EQ(words.token(count), std::nullopt);
  }
}

// Their blocks have fewer entries, since ends have 16 bits.
TEST(Vocabulary, MayHaveLongTokens) {
  for (size_t bytes : {4095, 4096, 9000, 65535}) {
    VocabularyBuilder builder;
    auto token = [&](int k) { return std::string(bytes, char('a' + k)); };
    for (int k = 0; k < 20; ++k)
      builder.insert(token(k), k);
    Storage storage;
    const Vocabulary words = builder.finish(storage);
    words.check();
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(words.find(token(k)), k);
      EXPECT_EQ(words.token(k), token(k));
    }
  }
  VocabularyBuilder builder;
  builder.insert(std::string(65536, 'a'), 0);
  Storage storage;
  EXPECT_THROW((void)builder.finish(storage), Error);
}

TEST(Vocabulary, MayHaveAnyIds) {
  VocabularyBuilder builder;
  EXPECT_TRUE(builder.insert("b", 900));
  EXPECT_TRUE(builder.insert("", 7)); // the empty token
  EXPECT_TRUE(builder.insert("ab", 3));
  EXPECT_FALSE(builder.insert("b", 1)); // it keeps its id
  builder.assign("ab", 12);
  Storage storage;
  const Vocabulary words = builder.finish(storage);
  EXPECT_EQ(words.find("b"), 900);
  EXPECT_EQ(words.find(""), 7);
  EXPECT_EQ(words.find("ab"), 12);
  EXPECT_EQ(words.token(12), "ab");
  EXPECT_EQ(words.token(7), "");
  EXPECT_EQ(words.token(3), std::nullopt);
}

TEST(Vocabulary, ListsPrefixesOfWholeCharacters) {
  VocabularyBuilder builder;
  builder.insert("a", 0);
  builder.insert("a\xc3", 1); // half of a character
  builder.insert("aé", 2);
  Storage storage;
  const Vocabulary words = builder.finish(storage);
  std::vector<Vocabulary::Prefix> found;
  words.prefixes("aéb", found);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].id, 0);
  EXPECT_EQ(found[1].id, 2);
  EXPECT_EQ(found[1].bytes, 3U);
}

TEST(Vocabulary, RejectsDamagedTables) {
  VocabularyBuilder builder;
  for (int k = 0; k < 10; ++k)
    builder.insert(tokenText(k), k);
  Storage storage;
  Vocabulary words = builder.finish(storage);
  std::vector<uint16_t> ends(words.ends.begin(), words.ends.end());
  ends[4] = UINT16_MAX;
  words.ends = ends;
  EXPECT_THROW((void)words.token(4), Error); // past the end
  EXPECT_THROW((void)words.token(5), Error); // ends before it begins
  EXPECT_EQ(words.token(3), tokenText(3));

  // A table without an empty slot does not make the search endless.
  const std::vector<uint32_t> full(16, ~0U);
  words.slots = full;
  EXPECT_EQ(words.find("nowhere"), std::nullopt);

  const std::vector<int32_t> ids(3);
  words.ids = ids;
  EXPECT_THROW(words.check(), Error);
  words.ids = {};
  words.check();
  words.blockBits = 0; // then each entry would need a block
  EXPECT_THROW(words.check(), Error);
  words.blockBits = 64;
  EXPECT_THROW(words.check(), Error);
}
