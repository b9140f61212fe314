// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizer compared with Hugging Face's tokenizers 0.23.

#include "runtime/tokenizer/Tokenizer.h"

#include "test/unit/TemporaryDirectory.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"
#include "test/unit/tokenizer/TokenizerGolden.h"

using namespace transfold::runtime;
using nlohmann::json;
using namespace transfold::test;

namespace {

/// A tokenizer with four words; `replace` changes its settings.
json small() {
  return {{"added_tokens", json::array()},
          {"normalizer", {{"type", "BertNormalizer"}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"post_processor", nullptr},
          {"model",
           {{"type", "WordPiece"},
            {"vocab",
             {{"[UNK]", 0},
              {"a", 1},
              {"##b", 2},
              {"i", 3},
              {"##\u0307", 4},
              {"A", 5},
              {"\u00e9", 6}}}}}};
}

std::vector<int32_t> ids(const json &tokenizer, std::string_view text) {
  return CompiledTokenizer(tokenizer.dump()).encode(text).ids;
}

using Ids = std::vector<int32_t>;

TEST(WordPiece, Golden) {
  CompiledTokenizer tokenizer(readInput("wordpiece-tokenizer.json"));
  json golden = json::parse(readInput("wordpiece-golden.json"));
  EXPECT_EQ(golden["cases"].size(), 70u);
  expectEncodings(tokenizer, golden);
}

TEST(WordPiece, CutsAtTheLimit) {
  CompiledTokenizer tokenizer(readInput("wordpiece-tokenizer.json"));
  Encoding whole = tokenizer.encode("first text, second text!");
  Encoding cut = tokenizer.encode("first text, second text!", 5);
  EXPECT_EQ(whole.cut, 0u);
  EXPECT_EQ(cut.ids.size(), 5u);
  EXPECT_EQ(cut.cut, whole.ids.size() - 5);
  EXPECT_EQ(cut.ids.front(), whole.ids.front());
  EXPECT_EQ(cut.ids[3], whole.ids[3]);
  EXPECT_EQ(cut.ids.back(), whole.ids.back());
}

TEST(WordPiece, Settings) {
  EXPECT_EQ(ids(small(), "ab A"), (Ids{1, 2, 1}));
  EXPECT_EQ(ids(small(), "abc"), (Ids{0})); // the whole word is unknown
  EXPECT_EQ(ids(small(), "\u0130"), (Ids{3}));

  json cased = small();
  cased["normalizer"]["lowercase"] = false; // accents are then kept, too
  EXPECT_EQ(ids(cased, "a A \u00e9"), (Ids{1, 5, 6}));
  json accents = small();
  accents["normalizer"]["strip_accents"] = false;
  // The lower case of I with a dot is two characters.
  EXPECT_EQ(ids(accents, "\u0130 \u00c9"), (Ids{3, 4, 6}));
  json shortWords = small();
  shortWords["model"]["max_input_chars_per_word"] = 1;
  EXPECT_EQ(ids(shortWords, "a ab"), (Ids{1, 0}));
}

TEST(WordPiece, AddedTokens) {
  auto withToken = [](json flags) {
    json tokenizer = small();
    flags["id"] = 7; // the next after the vocabulary's
    tokenizer["added_tokens"].push_back(flags);
    return tokenizer;
  };
  json plain = withToken({{"content", "[X]"}});
  EXPECT_EQ(ids(plain, "a[X]a"), (Ids{1, 7, 1}));
  EXPECT_EQ(ids(plain, "[x]"), (Ids{0, 0, 0})); // not as it is written
  EXPECT_EQ(ids(withToken({{"content", "[X]"}, {"normalized", true}}), "[x]"),
            (Ids{7}));
  json word = withToken({{"content", "X"}, {"single_word", true}});
  EXPECT_EQ(ids(word, "a X-aX"), (Ids{1, 7, 0, 0}));
  Encoding stripped =
      CompiledTokenizer(
          withToken({{"content", "[X]"}, {"lstrip", true}, {"rstrip", true}})
              .dump())
          .encode("a  [X] a");
  EXPECT_EQ(offsets(stripped), json::parse("[[0, 1], [1, 7], [7, 8]]"));
  // Of tokens that begin at the same place, the longest.
  json two = withToken({{"content", "[X]"}});
  two["added_tokens"].push_back({{"id", 8}, {"content", "[X][X]"}});
  EXPECT_EQ(ids(two, "[X][X][X]"), (Ids{8, 7}));
}

TEST(WordPiece, RefusesWhatItCannotRead) {
  auto message = [](const std::string &text) {
    return messageOf([&] { CompiledTokenizer tokenizer(text); });
  };
  EXPECT_EQ(message("{"), "tokenizer.json: is not valid JSON (byte 2)");
  EXPECT_EQ(message("[]"), "tokenizer.json: is not a JSON object");
  EXPECT_EQ(message(std::string(100, '[')),
            "tokenizer.json: values are nested too deep");
  EXPECT_EQ(message(R"({"model": {"type": "Letters"}})"),
            "tokenizer.json: the model 'Letters' is not supported (known: "
            "WordPiece, BPE, Unigram, WordLevel); `eval` takes ids instead of "
            "text");
  EXPECT_EQ(message(R"({"a": 1, "a": 2})"),
            "tokenizer.json: the key \"a\" occurs twice");
  EXPECT_EQ(
      message(R"({"model": {"type": "WordPiece", "vocab": {"a": 1, "a": 2}}})"),
      "tokenizer.json: the token \"a\" occurs twice");
  EXPECT_EQ(message(R"({"model": {"type": "WordPiece", "vocab": {"a": -1}}})"),
            "tokenizer.json: an id of the vocabulary is not a number");
  EXPECT_EQ(message(R"({"model": {"type": "WordPiece", "vocab": {"a": 1}}})"),
            "tokenizer.json: the vocabulary lacks the unknown token '[UNK]'");
  json processor = small();
  processor["post_processor"] = {{"type", "Other"}};
  EXPECT_EQ(message(processor.dump()),
            "tokenizer.json: the post-processor 'Other' is not supported "
            "(known: BertProcessing, ByteLevel, RobertaProcessing, Sequence, "
            "TemplateProcessing); `eval` takes ids instead of text");
  EXPECT_EQ(messageOf([] { ids(small(), "ab\xff"); }),
            "the text is not valid UTF-8 (byte 3)");
  EXPECT_EQ(messageOf([] { ids(small(), "\xed\xa0\x80"); }), // a surrogate
            "the text is not valid UTF-8 (byte 1)");
}

} // namespace
