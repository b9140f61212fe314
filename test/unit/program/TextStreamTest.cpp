// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text shown while its tokens are generated is the text of all of them, in
// pieces, and decodes only a few times their number.

#include "runtime/tasks/text/TextStream.h"
#include "runtime/tokenizer/Tokenizer.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>

using namespace transfold::runtime;
using transfold::test::CompiledTokenizer;

namespace {

/// Decodes with `decode` and counts the decoded tokens.
struct Shown {
  TextStream::Decode decode;
  std::vector<std::string> stops;
  std::vector<std::string> pieces{};
  size_t decoded = 0;
  bool isOver = false;

  std::string all(std::span<const int32_t> tokens) {
    TextStream stream(
        [&](std::span<const int32_t> some) {
          decoded += some.size();
          return decode(some);
        },
        stops, [&](std::string_view piece) { pieces.emplace_back(piece); });
    for (size_t count = 1; count <= tokens.size() && !isOver; ++count)
      isOver = !stream.update(tokens.first(count), false);
    if (!isOver)
      stream.update(tokens, true);
    std::string text;
    for (const std::string &piece : pieces)
      text += piece;
    return text;
  }
};

/// The letters of tokens: 0 is a.
std::string letters(std::span<const int32_t> tokens) {
  std::string text;
  for (int32_t token : tokens)
    text += static_cast<char>('a' + token);
  return text;
}

std::vector<int32_t> tokensOf(std::string_view text) {
  std::vector<int32_t> tokens;
  for (char c : text)
    tokens.push_back(c - 'a');
  return tokens;
}

TEST(TextStream, EndsAtTheFirstStop) {
  EXPECT_EQ((Shown{letters, {"fg"}}.all(tokensOf("abcdefghfg"))), "abcde");
  EXPECT_EQ((Shown{letters, {"ghi", "de"}}.all(tokensOf("abcdefghi"))), "abc");
  EXPECT_EQ((Shown{letters, {"x"}}.all(tokensOf("abc"))), "abc");
  // Text that only began like a stop text is shown in the end.
  Shown held{letters, {"cdx", "cde"}};
  EXPECT_EQ(held.all(tokensOf("abcd")), "abcd");
  EXPECT_EQ(held.pieces, (std::vector<std::string>{"a", "b", "cd"}));
}

TEST(TextStream, DecodesEachTokenAFewTimes) {
  std::vector<int32_t> tokens;
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i)
    tokens.push_back(static_cast<int32_t>(random() % 26));
  Shown shown{letters, {"zzzzzz"}};
  EXPECT_EQ(shown.all(tokens), letters(tokens));
  EXPECT_LT(shown.decoded, 128 * tokens.size());
}

/// A tokenizer of some pieces, with a decoder.
CompiledTokenizer tokenizerWith(const nlohmann::json &decoder,
                                const std::vector<std::string> &pieces) {
  nlohmann::json vocabulary = nlohmann::json::object();
  for (size_t id = 0; id < pieces.size(); ++id)
    vocabulary[pieces[id]] = id;
  return CompiledTokenizer(
      nlohmann::json{{"added_tokens",
                      {{{"id", 0}, {"content", pieces[0]}, {"special", true}}}},
                     {"normalizer", nullptr},
                     {"pre_tokenizer", nullptr},
                     {"post_processor", nullptr},
                     {"decoder", decoder},
                     {"model",
                      {{"type", "BPE"},
                       {"vocab", vocabulary},
                       {"merges", nlohmann::json::array()}}}}
          .dump());
}

/// A decoder, the pieces of its tokenizer, and the units of test texts.
struct Example {
  const char *decoder;
  std::vector<std::string> pieces;
  std::vector<std::vector<int32_t>> units;
};

/// Texts that depend on the preceding tokens: where a space is omitted, which
/// bytes form a character. Token 0 is special and has no text.
const Example examples[] = {
    // ä is C3 A4 and 😀 is F0 9F 98 80: as characters for bytes …
    {R"({"type": "ByteLevel"})",
     {"!", "a", "Ġ", "Ã", "¤", "ð", "Ł", "ĺ", "Ģ"},
     {{0}, {1}, {2}, {3, 4}, {5, 6, 7, 8}, {4}, {5, 6}}},
    // … and as tokens for bytes.
    {R"({"type": "Sequence", "decoders": [
         {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
         {"type": "ByteFallback"}, {"type": "Fuse"},
         {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})",
     {"!", "a", "▁", "▁b", "<0xC3>", "<0xA4>", "<0xF0>", "<0x9F>", "<0x98>",
      "<0x80>"},
     {{0}, {1}, {2}, {3}, {4, 5}, {6, 7, 8, 9}}},
    {R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})",
     {"!", "a", "▁", "▁b"},
     {{0}, {1}, {2}, {3}}},
    {R"({"type": "WordPiece", "prefix": "##", "cleanup": true})",
     {"!", "a", "##b", "##.", "do", "##n't", ","},
     {{0}, {1}, {2}, {3}, {4}, {4, 5}, {6}}},
    {R"({"type": "BPEDecoder", "suffix": "</w>"})",
     {"!", "a", "c</w>", "</w>"},
     {{0}, {1}, {2}, {3}}},
};

/// Checks that texts of units in any order are shown as they are decoded as a
/// whole.
void expectStreams(const Tokenizer &tokenizer,
                   const std::vector<std::vector<int32_t>> &units,
                   const char *name) {
  std::mt19937 random(7);
  for (int run = 0; run < 12; ++run) {
    std::vector<int32_t> tokens;
    // In every second text, long repetitions of one unit.
    size_t unit = 0;
    while (tokens.size() < 400) {
      if (run % 2 == 0 || random() % 40 == 0)
        unit = random() % units.size();
      tokens.insert(tokens.end(), units[unit].begin(), units[unit].end());
    }
    Shown shown{
        [&](std::span<const int32_t> some) { return tokenizer.decode(some); },
        {}};
    EXPECT_EQ(shown.all(tokens), tokenizer.decode(tokens)) << name;
    if (run % 2 == 0) {
      EXPECT_LT(shown.decoded, 200 * tokens.size()) << name;
    }
  }
}

TEST(TextStream, IsTheTextOfAllTokens) {
  for (const Example &example : examples)
    expectStreams(
        tokenizerWith(nlohmann::json::parse(example.decoder), example.pieces),
        example.units, example.decoder);
}

// User-defined tokens are literal text, between others and bytes.
TEST(TextStream, OfGgufFiles) {
  transfold::checkpoint::GgufTokenizer source;
  source.model = "llama";
  source.tokens = {"<unk>",  "<s>",    "a",      "▁",      "▁b",     "  ",
                   "<0xC3>", "<0xA4>", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"};
  source.tokenTypes = {2, 3, 1, 1, 1, 4, 6, 6, 6, 6, 6, 6};
  std::vector<std::vector<int32_t>> units = {{1}, {2},    {3},           {4},
                                             {5}, {6, 7}, {8, 9, 10, 11}};
  expectStreams(CompiledTokenizer(source), units, "with a space");
  source.addSpacePrefix = false;
  expectStreams(CompiledTokenizer(source), units, "without a space");
}

/// Bytes that formed a character may be invalid together with the following
/// ones.
TEST(TextStream, ShowsWholeCharacters) {
  CompiledTokenizer tokenizer = tokenizerWith(
      nlohmann::json::parse(examples[1].decoder), examples[1].pieces);
  std::mt19937 random(8);
  std::vector<int32_t> tokens;
  for (int i = 0; i < 500; ++i)
    tokens.push_back(static_cast<int32_t>(random() % 10));
  Shown shown{
      [&](std::span<const int32_t> some) { return tokenizer.decode(some); },
      {}};
  std::string text = shown.all(tokens);
  EXPECT_EQ(transfold::repairUtf8(text), text);
}

} // namespace
