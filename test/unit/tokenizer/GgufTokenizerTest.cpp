// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers of GGUF files, a small one of each kind. RealTokenizersTest
// compares those of published models with llama.cpp.

#include "compiler/tokenizer/gguf/PreTokenizers.h"
#include "compiler/tokenizer/pattern/PatternParser.h"
#include "runtime/tokenizer/split/PreTokenizer.h"
#include "test/unit/TemporaryDirectory.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace transfold;
using checkpoint::GgufTokenizer;
using checkpoint::GgufTokenType;
using runtime::TextRange;
using test::CompiledTokenizer;
using test::messageOf;

namespace {

using Ids = std::vector<int32_t>;

class Builder {
public:
  GgufTokenizer source;

  explicit Builder(const char *model) {
    source.place = "model.gguf";
    source.model = model;
  }
  Builder &add(const char *text, float score = 0,
               GgufTokenType type = GgufTokenType::Normal) {
    source.tokens.emplace_back(text);
    source.scores.push_back(score);
    source.tokenTypes.push_back(static_cast<int32_t>(type));
    return *this;
  }
  Builder &control(const char *text) {
    return add(text, 0, GgufTokenType::Control);
  }
  Builder &userDefined(const char *text) {
    return add(text, 0, GgufTokenType::UserDefined);
  }
};

Ids idsOf(const runtime::Tokenizer &tokenizer, std::string_view text,
          std::span<const TextRange> typed = {}) {
  return tokenizer.encode(text, runtime::Tokenizer::unlimited, typed).ids;
}

std::string refusal(const GgufTokenizer &source) {
  return messageOf([&] { CompiledTokenizer tokenizer(source); });
}

/// 0 <unk>, 1 <s>, 2 </s>, 3 ▁, 4 a, 5 b, 6 ab, 7 ba, 8 ▁ab, 9 <0xC3>,
/// 10 <0xA9>, 11 "  ", 12 "   ".
Builder scoredPairs() {
  Builder builder("llama");
  builder.add("<unk>", 0, GgufTokenType::Unknown);
  builder.control("<s>").control("</s>");
  builder.add("▁", -9).add("a", -9).add("b", -9);
  builder.add("ab", -1).add("ba", -1).add("▁ab", -3);
  builder.add("<0xC3>", 0, GgufTokenType::Byte);
  builder.add("<0xA9>", 0, GgufTokenType::Byte);
  builder.userDefined("  ").userDefined("   ");
  return builder;
}

TEST(ScoredPairs, BestScoreFirstThenLeftmost) {
  Builder builder = scoredPairs();
  builder.source.addBos = false;
  builder.source.addSpacePrefix = false;
  CompiledTokenizer tokenizer(builder.source);
  EXPECT_EQ(idsOf(tokenizer, "aba"), (Ids{6, 4})); // "ab" and "ba" are equal
  EXPECT_EQ(idsOf(tokenizer, "bab"), (Ids{7, 5}));
  EXPECT_EQ(idsOf(tokenizer, " ab"), (Ids{8}));
  EXPECT_EQ(idsOf(tokenizer, "a\u00e9"), (Ids{4, 9, 10}));
  EXPECT_EQ(idsOf(tokenizer, "x"), (Ids{0})); // its byte is not a token, either
  EXPECT_EQ(tokenizer.decode(Ids{8, 9, 10, 4}), " ab\u00e9a");
  EXPECT_EQ(tokenizer.decode(Ids{9, 4}), "\ufffda");
  builder.source.tokens[6] = "bb"; // "ba" has the best score
  EXPECT_EQ(idsOf(CompiledTokenizer(builder.source), "aba"), (Ids{4, 7}));
}

TEST(ScoredPairs, WhatIsPutAroundTexts) {
  CompiledTokenizer tokenizer(scoredPairs().source);
  EXPECT_EQ(idsOf(tokenizer, "ab"), (Ids{1, 8}));
  EXPECT_EQ(idsOf(tokenizer, ""), (Ids{1}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 8, 8}), "ab ab");
  EXPECT_EQ(tokenizer.decode(Ids{1, 8, 2}, true), "<s> ab</s>");
  EXPECT_FALSE(tokenizer.takesPairs());
  Builder ended = scoredPairs();
  ended.source.addBos = false;
  ended.source.addEos = true;
  EXPECT_EQ(idsOf(CompiledTokenizer(ended.source), "ab"), (Ids{8, 2}));
  ended.source.eos = 4;
  EXPECT_EQ(idsOf(CompiledTokenizer(ended.source), "ab"), (Ids{8, 4}));
}

// Runs of spaces are separate tokens, the longest first, at any place; control
// tokens are recognized unless the text is from a user.
TEST(ScoredPairs, UserDefinedAndControlTokens) {
  Builder builder = scoredPairs();
  builder.source.addBos = false;
  builder.source.addSpacePrefix = false;
  CompiledTokenizer tokenizer(builder.source);
  EXPECT_EQ(idsOf(tokenizer, "a     b"), (Ids{4, 12, 11, 5}));
  EXPECT_EQ(idsOf(tokenizer, "a</s>b"), (Ids{4, 2, 5}));
  TextRange all[] = {{0, 6}}, end[] = {{4, 6}}, before[] = {{0, 1}};
  EXPECT_EQ(idsOf(tokenizer, "a</s>b", all), (Ids{4, 0, 0, 0, 0, 5}));
  EXPECT_EQ(idsOf(tokenizer, "a</s>b", end), (Ids{4, 0, 0, 0, 0, 5}));
  EXPECT_EQ(idsOf(tokenizer, "a</s>b", before), (Ids{4, 2, 5}));
  EXPECT_EQ(idsOf(tokenizer, "a   b", all), (Ids{4, 12, 5}));
  EXPECT_EQ(tokenizer.decode(Ids{4, 12, 2, 5}), "a   b");
}

// Of overlapping tokens the longest in the text is taken, not the first.
TEST(ScoredPairs, LongestOfOverlappingTokens) {
  Builder builder("llama");
  builder.add("a").add("b").add("c").add("d");
  builder.userDefined("ab").userDefined("bcd").userDefined("d");
  builder.source.tokens[3] = "x";
  builder.source.addBos = false;
  builder.source.addSpacePrefix = false;
  EXPECT_EQ(idsOf(CompiledTokenizer(builder.source), "abcd"), (Ids{0, 5}));
  EXPECT_EQ(idsOf(CompiledTokenizer(builder.source), "abxd"), (Ids{4, 3, 6}));
}

/// 0 <|end|>, 1 a, 2 b, 3 1, 4 Ġ, 5 ab, 6 Ġa, 7 Ġab, 8 aba.
Builder bytePairs(const char *pre) {
  Builder builder("gpt2");
  builder.control("<|end|>");
  for (const char *token :
       {"a", "b", "1", "\u0120", "ab", "\u0120a", "\u0120ab", "aba"})
    builder.add(token);
  builder.source.pre = pre;
  builder.source.merges = {"a b", "\u0120 a", "\u0120a b"};
  return builder;
}

TEST(BytePairsOfGguf, MergesAndWords) {
  CompiledTokenizer tokenizer(bytePairs("smollm").source);
  EXPECT_EQ(idsOf(tokenizer, "ab ab"), (Ids{5, 4, 5}));
  EXPECT_EQ(idsOf(tokenizer, "11"), (Ids{3, 3}));
  EXPECT_EQ(idsOf(tokenizer, "a<|end|>"), (Ids{1, 0}));
  EXPECT_EQ(idsOf(tokenizer, "aba"), (Ids{5, 1}));
  // Bytes without a token are skipped.
  EXPECT_EQ(idsOf(tokenizer, "axb"), (Ids{1, 2}));
  EXPECT_EQ(tokenizer.decode(Ids{7, 0, 3}), " ab1");
  EXPECT_EQ(tokenizer.decode(Ids{7, 0, 3}, true), " ab<|end|>1");
  Builder whole = bytePairs("llama-bpe");
  whole.source.bos = 0;
  EXPECT_EQ(idsOf(CompiledTokenizer(whole.source), "aba"), (Ids{0, 8}));
  // If a pair has two merges, the first one counts.
  Builder twice = bytePairs("gpt-2");
  twice.source.merges = {"\u0120 a", "a b", "\u0120 a"};
  EXPECT_EQ(idsOf(CompiledTokenizer(twice.source), " ab"), (Ids{6, 2}));
}

TEST(BytePairsOfGguf, UserDefinedTokensAreTextAsTheyAre) {
  Builder builder = bytePairs("gpt-2");
  builder.userDefined(
      "\u00e9"); // in the byte alphabet it stands for another byte
  CompiledTokenizer tokenizer(builder.source);
  EXPECT_EQ(idsOf(tokenizer, "a\u00e9"), (Ids{1, 9}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 9, 7}), "a\u00e9 ab");
}

/// Joins words with newlines.
struct JoinedWords final : runtime::WordSink {
  std::string all;
  void take(Characters word) override {
    all += (all.empty() ? "" : "|") + encodeUtf8(word);
  }
};

std::string words(const char *pre, const char *text) {
  runtime::PreTokenizer cuts;
  for (const char *expression : tokenizer::preTokenizerNamed(pre).expressions)
    cuts.steps.push_back(runtime::CutAtMatches{tokenizer::regex(expression),
                                               runtime::Cuts::Isolated, false});
  JoinedWords joined;
  cuts.split(decodeUtf8(text), joined);
  return joined.all;
}

TEST(NamedPreTokenizers, CutTextsAsTheirModelsDo) {
  const char *text = "It's 1234 CATSdogs,\n\n  x = {}; 漢字";
  EXPECT_EQ(words("gpt-2", text),
            "It|'s| 1234| CATSdogs|,|\n\n | x| =| {};| 漢字");
  EXPECT_EQ(words("smollm", text),
            "It|'s| |1|2|3|4| CATSdogs|,|\n\n | x| =| {};| 漢字");
  EXPECT_EQ(words("llama3", text),
            "It|'s| |123|4| CATSdogs|,\n\n| | x| =| {};| 漢字");
  EXPECT_EQ(words("qwen2", text),
            "It|'s| |1|2|3|4| CATSdogs|,\n\n| | x| =| {};| 漢字");
  EXPECT_EQ(words("gpt-4o", text),
            "It's| |123|4| CATSdogs|,\n\n| | x| =| {};| 漢字");
  EXPECT_EQ(words("tekken", text),
            "It|'s| |1|2|3|4| CATSdogs|,\n\n| | x| =| {};| 漢字");
  EXPECT_EQ(words("deepseek-v3", text),
            "It|'s| |123|4| CATSdogs|,\n\n| | x| =| {};| |漢字");
  EXPECT_EQ(words("deepseek-llm", text),
            "It|'|s| |1234| CATSdogs|,|\n|\n| | x| =| {};| |漢字");
  EXPECT_EQ(words("falcon", "a+b 12345"), "a|+|b| |123|45");
  EXPECT_EQ(words("", "a+b 12345"), "a|+|b| |123|45");
  EXPECT_EQ(words("bloom", "a, b"), "a|,| b");
  EXPECT_EQ(words("viking", "a 12"), "a| |1|2");
  EXPECT_EQ(words("superbpe", "12345"), "12|345");
  EXPECT_EQ(words("gemma4", "a b\n\nc"), "a b|\n\n|c");
}

TEST(NamedPreTokenizers, OthersAreRefused) {
  std::string message = refusal(bytePairs("nonesuch").source);
  EXPECT_TRUE(message.starts_with(
      "model.gguf: the pre-tokenizer 'nonesuch' is not supported (known: "))
      << message;
  EXPECT_TRUE(message.ends_with("; use the model's tokenizer.json, or `eval`, "
                                "which takes ids instead of text"))
      << message;
  // All known pre-tokenizers can be compiled.
  size_t begin = message.find("known: ") + 7, end = message.find(");");
  std::string known = message.substr(begin, end - begin) + ", ";
  for (size_t at = 0, comma; (comma = known.find(", ", at)) != known.npos;
       at = comma + 2) {
    Builder builder = bytePairs(known.substr(at, comma - at).c_str());
    builder.source.bos = 0;
    EXPECT_EQ(refusal(builder.source), "no error");
  }
}

TEST(WordPieceOfGguf, SpellsWordsTheOtherWayAround) {
  Builder builder("bert");
  builder.control("[UNK]").control("[CLS]").control("[SEP]");
  builder.add("▁hello").add("s").add("▁[").add("▁]").add("s");
  builder.source.tokens[7] = "▁cls";
  builder.source.unknown = 0;
  builder.source.bos = 1;
  builder.source.separator = 2;
  CompiledTokenizer tokenizer(builder.source);
  EXPECT_EQ(idsOf(tokenizer, "H\u00e9llos"), (Ids{1, 3, 4, 2}));
  EXPECT_EQ(idsOf(tokenizer, "x"), (Ids{1, 0, 2}));
  EXPECT_EQ(idsOf(tokenizer, "[SEP]"), (Ids{1, 2, 2}));
  TextRange all[] = {{0, 5}};
  EXPECT_EQ(idsOf(tokenizer, "[cls]", all), (Ids{1, 5, 7, 6, 2}));
  EXPECT_EQ(idsOf(tokenizer, "[SEP]", all), (Ids{1, 5, 0, 6, 2}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 3, 4, 3, 2}), "hellos hello");
  EXPECT_TRUE(tokenizer.takesPairs());
  EXPECT_EQ(tokenizer.encodePair("hello", "hello").ids, (Ids{1, 3, 2, 3, 2}));
  builder.source.lowercase = false;
  EXPECT_EQ(idsOf(CompiledTokenizer(builder.source), "Hello"), (Ids{1, 0, 2}));
}

/// 0 <pad>, 1 </s>, 2 <unk>, 3 ▁, 4 ▁a, 5 b, 6 ▁ab, 7 <extra>.
Builder unigram() {
  Builder builder("t5");
  builder.control("<pad>").control("</s>");
  builder.add("<unk>", 0, GgufTokenType::Unknown);
  builder.add("▁", -2).add("▁a", -3).add("b", -3).add("▁ab", -5);
  builder.userDefined("<extra>");
  builder.source.addSpacePrefix = true;
  builder.source.removeExtraWhitespaces = true;
  return builder;
}

TEST(UnigramOfGguf, BestSumOfScores) {
  CompiledTokenizer tokenizer(unigram().source);
  EXPECT_EQ(idsOf(tokenizer, "  ab   a "), (Ids{6, 4, 1}));
  EXPECT_EQ(idsOf(tokenizer, "abb"), (Ids{6, 5, 1}));
  EXPECT_EQ(idsOf(tokenizer, "xx b"), (Ids{3, 2, 3, 5, 1}));
  EXPECT_EQ(idsOf(tokenizer, "ab<extra>b"), (Ids{6, 7, 3, 5, 1}));
  EXPECT_EQ(idsOf(tokenizer, "   "), (Ids{1}));
  EXPECT_EQ(tokenizer.decode(Ids{6, 4, 1}), "ab a");
  Builder spaced = unigram();
  spaced.source.removeExtraWhitespaces = false;
  EXPECT_EQ(idsOf(CompiledTokenizer(spaced.source), "b  a"),
            (Ids{3, 5, 3, 4, 1}));
}

TEST(GgufTokenizer, RefusesWhatItCannotUse) {
  Builder builder = scoredPairs();
  builder.source.model = "rwkv";
  EXPECT_EQ(refusal(builder.source),
            "model.gguf: the tokenizer 'rwkv' (tokenizer.ggml.model) is not "
            "supported (known: bert, gemma4, gpt2, llama, t5); use the model's "
            "tokenizer.json, or `eval`, which takes ids instead of text");
  builder = scoredPairs();
  builder.source.scores.pop_back();
  EXPECT_EQ(refusal(builder.source),
            "model.gguf: tokenizer.ggml.scores has 12 entries for 13 tokens; "
            "convert the model again");
  builder = scoredPairs();
  builder.add("ab");
  EXPECT_EQ(refusal(builder.source),
            "model.gguf: the token 'ab' occurs twice; convert the model again");
  builder = scoredPairs();
  builder.add("\xff");
  EXPECT_EQ(refusal(builder.source),
            "model.gguf: the token 13 is not valid UTF-8; convert the model "
            "again");
  EXPECT_EQ(refusal(Builder("llama").source),
            "model.gguf: tokenizer.ggml.tokens is missing; convert the model "
            "again");
  builder = bytePairs("llama-bpe"); // there is no token 11
  EXPECT_EQ(refusal(builder.source),
            "model.gguf: tokenizer.ggml.add_bos_token is true, but there is no "
            "token tokenizer.ggml.bos_token_id; convert the model again");
  builder = bytePairs("gpt-2");
  builder.source.merges.emplace_back("ab");
  EXPECT_EQ(refusal(builder.source),
            "model.gguf: tokenizer.ggml.merges: 'ab' is not a pair of tokens");
  builder.source.merges.back() = "a x";
  EXPECT_EQ(refusal(builder.source),
            "model.gguf: merge 4 makes or needs \"x\", which is not in the "
            "vocabulary");
}

} // namespace
