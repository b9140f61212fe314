// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that is too long costs only the effort to detect that, and waiting for
// a text can be cancelled.

#include "runtime/tokenizer/characters/ByteLevel.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"
#include "test/unit/tokenizer/TokenizerGolden.h"

#include <fmt/format.h>

using namespace transfold;
using namespace transfold::runtime;
using namespace transfold::test;
using nlohmann::json;

namespace {

constexpr const char *kinds[] = {
    "byte-level", "byte-level-trimmed", "split",    "byte-fallback",
    "unigram",    "character-map",      "wordpiece"};

std::string repeated(std::string_view text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i)
    result += text;
  return result;
}

TEST(TokenizerEffort, MoreThanAnybodyWantsIsOneMore) {
  for (const char *kind : kinds) {
    CompiledTokenizer tokenizer(
        readInput(std::string(kind) + "-tokenizer.json"));
    const std::string text = repeated("the cat sat 123 ", 50);
    auto all = tokenizer.tokenize(text);
    ASSERT_GT(all.size(), 100u) << kind;
    for (size_t most : {size_t{0}, size_t{1}, size_t{40}, all.size() - 1}) {
      auto some = tokenizer.tokenize(text, {}, {.most = most});
      ASSERT_EQ(some.size(), most + 1) << kind;
      for (size_t i = 0; i < some.size(); ++i)
        EXPECT_EQ(some[i].id, all[i].id) << kind;
      EXPECT_THROW(
          tokenizer.tokenize(text, {}, {.most = most, .refuses = true}),
          TooManyTokens)
          << kind;
    }
    // A text that fits is never refused.
    const TokenizerEffort enough{.most = all.size(), .refuses = true};
    EXPECT_EQ(tokenizer.tokenize(text, {}, enough).size(), all.size()) << kind;
    for (const char *odd : {"\u00e9", "    ", "\n\n", "aaaaaaaa", "\x01",
                            "\U0001f408", "<s></s>", "\u4e2d"}) {
      const std::string many = repeated(odd, 300);
      size_t count = tokenizer.tokenize(many).size();
      EXPECT_EQ(
          tokenizer.tokenize(many, {}, {.most = count, .refuses = true}).size(),
          count)
          << kind << " " << odd;
    }
  }
}

/// A tokenizer of bytes, with one token of several.
json bytesOnly() {
  Characters bytes;
  for (char32_t code = 0; code < 0x800; ++code)
    bytes.push_back({code, 0, 1});
  for (char32_t code :
       {0xe000, 0xf000, 0x10000, 0x50000, 0x90000, 0xd0000, 0x100000})
    bytes.push_back({code, 0, 1});
  for (char32_t code = 0x800; code <= 0xd000; code += 0x800)
    bytes.push_back({code, 0, 1});
  bytesAsCharacters(bytes);
  json vocabulary = json::object();
  auto add = [&](const std::string &text) {
    if (!vocabulary.contains(text))
      vocabulary[text] = vocabulary.size();
  };
  for (const Character &each : bytes)
    add(encodeUtf8(Characters{each}));
  for (const char *text : {"11", "1111"})
    add(text);
  return {
      {"added_tokens", json::array()},
      {"pre_tokenizer",
       {{"type", "ByteLevel"},
        {"add_prefix_space", false},
        {"use_regex", false}}},
      {"model",
       {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", {"1 1", "11 11"}}}}};
}

TEST(TokenizerEffort, RefusesWithoutReading) {
  CompiledTokenizer tokenizer(bytesOnly().dump());
  const TokenizerEffort effort{.most = 100, .refuses = true};
  EXPECT_EQ(tokenizer.tokenize(std::string(400, '1'), {}, effort).size(), 100u);
  // Not UTF-8: the refusal comes before the invalid byte is read.
  const std::string text = std::string(100000, '1') + "\xff";
  EXPECT_THROW(tokenizer.tokenize(text, {}, effort), TooManyTokens);
  // Text consumed by one token does not count.
  json swallowing = bytesOnly();
  swallowing["added_tokens"] = {{{"id", 1000},
                                 {"content", "<mask>"},
                                 {"special", true},
                                 {"normalized", false},
                                 {"single_word", false},
                                 {"lstrip", true},
                                 {"rstrip", false}}};
  CompiledTokenizer other(swallowing.dump());
  EXPECT_THROW(other.tokenize(text, {}, effort), TooManyTokens);
  EXPECT_EQ(
      other.tokenize(std::string(100000, ' ') + "<mask>", {}, effort).size(),
      1u);
}

TEST(TokenizerEffort, LooksAsOftenAsTheTextIsLong) {
  for (const char *kind : kinds) {
    CompiledTokenizer tokenizer(
        readInput(std::string(kind) + "-tokenizer.json"));
    auto looksAt = [&](size_t times) {
      size_t looks = 0;
      tokenizer.tokenize(repeated("the cat sat ", times), {},
                         {.look = [&] { ++looks; }});
      return looks;
    };
    EXPECT_GT(looksAt(2000), 5u) << kind;
    EXPECT_GT(looksAt(4000), looksAt(2000) * 3 / 2) << kind;
    struct Left {};
    EXPECT_THROW(tokenizer.tokenize("a", {}, {.look = [] { throw Left(); }}),
                 Left)
        << kind;
  }
}

} // namespace
