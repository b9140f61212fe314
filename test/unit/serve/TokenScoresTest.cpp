// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reported tokens and their log probabilities: the bytes of all tokens,
// joined, are the text, also if several tokens form one character.

#include "runtime/serve/engine/TokenScores.h"
#include "runtime/serve/api/Replies.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"

#include <gtest/gtest.h>

using namespace transfold::runtime;
using namespace transfold::runtime::serve;
using nlohmann::json;
using transfold::test::CompiledTokenizer;

namespace {

/// A tokenizer of some pieces, the first of which is special.
CompiledTokenizer tokenizerWith(const char *decoder,
                                const std::vector<std::string> &pieces) {
  json vocabulary = json::object();
  for (size_t id = 0; id < pieces.size(); ++id)
    vocabulary[pieces[id]] = id;
  return CompiledTokenizer(json{
      {"added_tokens",
       {{{"id", 0}, {"content", pieces[0]}, {"special", true}}}},
      {"normalizer", nullptr},
      {"pre_tokenizer", nullptr},
      {"post_processor", nullptr},
      {"decoder", json::parse(decoder)},
      {"model",
       {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}}}
                               .dump());
}

// ä is C3 A4 and 😀 is F0 9F 98 80: as characters for bytes …
CompiledTokenizer byteLevel() {
  return tokenizerWith(R"({"type": "ByteLevel"})",
                       {"</s>", "a", "Ġb", "Ã", "¤", "ðŁĺ", "Ģ"});
}
// … and as tokens for bytes. Two of these tokens have the same text.
CompiledTokenizer byteTokens() {
  return tokenizerWith(
      R"({"type": "Sequence", "decoders": [
         {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
         {"type": "ByteFallback"}, {"type": "Fuse"},
         {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})",
      {"</s>", "a", "▁b", "<0xC3>", "<0xA4>", "<0x61>"});
}

/// The reports for tokens that arrive one by one, as in a stream.
Piece told(const Tokenizer &tokenizer, const std::vector<int32_t> &tokens,
           std::vector<std::string> stops = {}, size_t top = 0) {
  Piece piece;
  TextStream text(
      [&](std::span<const int32_t> ids) { return tokenizer.decode(ids); },
      std::move(stops), [&](std::string_view more) { piece.text += more; });
  TokenScores scores(tokenizer, top);
  std::vector<float> logits = {0, 7, 6, 5, 4, 3, 2};
  logits.resize(tokenizer.token(6) ? 7 : 6);
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::span<const int32_t> all(tokens);
    scores.add(logits, all.first(i), tokens[i], -1);
    const bool isLast = i + 1 == tokens.size();
    const bool isStopped = !text.update(all.first(i + 1), isLast);
    scores.release(text,
                   isStopped ? TokenScores::Rest::CutOff
                   : isLast  ? TokenScores::Rest::AllShown
                             : TokenScores::Rest::Follows,
                   piece.tokens);
    if (isStopped)
      break;
  }
  return piece;
}

json scoresOf(const Piece &piece, bool isChat) {
  ReplyHead head;
  head.isChat = isChat;
  return wholeReply(head, std::vector{WholeAnswer{piece, {}}},
                    {})["choices"][0]["logprobs"];
}

/// The bytes of all tokens of a chat's answer.
std::string joined(const Piece &piece) {
  std::string bytes;
  const json scores = scoresOf(piece, true);
  for (const json &token : scores["content"])
    for (const json &byte : token["bytes"])
      bytes += static_cast<char>(byte.get<unsigned>());
  return bytes;
}

TEST(TokenScores, BytesAreThoseOfTheText) {
  const std::vector<int32_t> ids = {2, 1, 5, 6, 3, 4, 1, 0, 2};
  Piece piece = told(byteLevel(), ids);
  EXPECT_EQ(piece.text, " ba😀äa b");
  EXPECT_EQ(joined(piece), piece.text);
  EXPECT_EQ(piece.tokens.size(), ids.size());
  Piece others = told(byteTokens(), {2, 1, 3, 4, 0, 2});
  EXPECT_EQ(others.text, "baä b");
  EXPECT_EQ(joined(others), others.text);
}

TEST(TokenScores, PartsOfCharactersHaveNames) {
  json chat = scoresOf(told(byteLevel(), {5, 6, 0}), true)["content"];
  EXPECT_EQ(chat[0]["token"], "\\xf0\\x9f\\x98");
  EXPECT_EQ(chat[0]["bytes"], json({0xf0, 0x9f, 0x98}));
  EXPECT_EQ(chat[1]["token"], "\\x80");
  EXPECT_EQ(chat[2]["token"], "</s>"); // it is not part of the text
  EXPECT_EQ(chat[2]["bytes"], json::array());
  json text = scoresOf(told(byteLevel(), {5, 6}), false);
  EXPECT_EQ(text["tokens"], json({"bytes:\\xf0\\x9f\\x98", "bytes:\\x80"}));
}

TEST(TokenScores, OffsetsCountCharacters) {
  json text = scoresOf(told(byteLevel(), {1, 5, 6, 3, 4, 1}), false);
  EXPECT_EQ(text["text_offset"], json({0, 1, 1, 2, 2, 3}));
}

TEST(TokenScores, WhatAStopCutsOffHasNone) {
  // a, then b, which the stop takes together with its space.
  Piece piece = told(byteLevel(), {1, 1, 2, 1}, {" b"});
  EXPECT_EQ(piece.text, "aa");
  EXPECT_EQ(piece.tokens.size(), 2u);
  // The stop text begins within a token, whose beginning is shown.
  piece = told(byteLevel(), {1, 2, 1}, {"ba"});
  EXPECT_EQ(piece.text, "a ");
  EXPECT_EQ(piece.tokens.size(), 2u);
  // No text is left.
  piece = told(byteLevel(), {5, 6}, {"😀"});
  EXPECT_EQ(piece.text, "");
  EXPECT_TRUE(piece.tokens.empty());
}

TEST(TokenScores, EqualTextsAreKeptApart) {
  // Tokens 1 and 5 are both "a".
  json top = scoresOf(told(byteTokens(), {5}, {}, 5), false)["top_logprobs"];
  ASSERT_EQ(top[0].size(), 5u);
  EXPECT_EQ(top[0]["a"], -1.0); // the chosen one
  EXPECT_TRUE(top[0].contains("token_id:1"));
}

TEST(TokenScores, TheChosenOneIsAmongThem) {
  Piece piece = told(byteLevel(), {6}, {}, 2);
  json chat = scoresOf(piece, true)["content"][0]["top_logprobs"];
  ASSERT_EQ(chat.size(), 3u); // in addition to the two likeliest
  EXPECT_EQ(chat[2]["token"], "\\x80");
  EXPECT_EQ(scoresOf(piece, false)["top_logprobs"][0].size(), 3u);
  EXPECT_EQ(
      scoresOf(told(byteLevel(), {1}, {}, 2), false)["top_logprobs"][0].size(),
      2u);
  // Without requested alternatives, text completions report only the chosen
  // token.
  json none = scoresOf(told(byteLevel(), {1}), false);
  EXPECT_EQ(none["top_logprobs"][0], json({{"a", -1.0}}));
}

} // namespace
