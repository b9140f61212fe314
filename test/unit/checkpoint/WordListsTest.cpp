// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers of directories that only have word lists. The expected ids are
// those of transformers 5.24.

#include "compiler/checkpoint/huggingface/WordLists.h"

#include "test/unit/TemporaryDirectory.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"

#include <gtest/gtest.h>

using namespace transfold;
using namespace transfold::test;
using Ids = std::vector<int32_t>;

namespace {

const char *const lines =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nThe\ncat\n"
    "##s\ne\n\u00e9\n!\n<s>\n<pad>\n</s>\n<unk>\n<mask>\n";
const char *const pairs = R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3,
    "<mask>": 4, "t": 5, "h": 6, "e": 7, "Ġ": 8, "th": 9, "the": 10,
    "Ġthe": 11, "<|endoftext|>": 12, "1": 13, "2": 14})";
const char *const merges = "#version: 0.2\nt h\nth e\nĠ the\n";

class WordLists : public testing::Test {
protected:
  /// The tokenizer of vocab.txt, or of vocab.json and merges.txt, with these
  /// settings in tokenizer_config.json.
  void open(bool isOfLines, const std::string &settings) {
    files.emplace();
    if (isOfLines) {
      files->write("vocab.txt", lines);
    } else {
      files->write("vocab.json", pairs);
      files->write("merges.txt", merges);
    }
    if (!settings.empty())
      files->write("tokenizer_config.json", settings);
    auto source =
        checkpoint::readWordLists(checkpoint::Directory(files->path()));
    ASSERT_TRUE(source);
    tokenizer.emplace(checkpoint::TokenizerSource(*source));
  }

  Ids ids(const char *text) const { return tokenizer->encode(text).ids; }
  runtime::Encoding pair() const { return tokenizer->encodePair("the", "the"); }

  std::optional<TemporaryDirectory> files;
  std::optional<CompiledTokenizer> tokenizer;
};

} // namespace

TEST_F(WordLists, Bert) {
  open(true, "");
  EXPECT_EQ(ids("The cats \u00e9! [MASK]"), (Ids{2, 5, 7, 8, 9, 11, 4, 3}));
  EXPECT_EQ(ids("the <mask>"), (Ids{2, 5, 1, 1, 1, 3}));
  EXPECT_EQ(pair().ids, (Ids{2, 5, 3, 5, 3}));
  EXPECT_EQ(pair().types, (Ids{0, 0, 0, 1, 1}));
}

TEST_F(WordLists, BertWithCase) {
  open(true, R"({"tokenizer_class": "BertTokenizerFast",
                 "do_lower_case": false})");
  EXPECT_EQ(ids("The cats \u00e9! [MASK]"), (Ids{2, 6, 7, 8, 10, 11, 4, 3}));
}

TEST_F(WordLists, Mpnet) {
  open(true, R"({"tokenizer_class": "MPNetTokenizer"})");
  EXPECT_EQ(ids("the the <mask> the12"), (Ids{12, 5, 5, 16, 1, 14}));
  EXPECT_EQ(pair().ids, (Ids{12, 5, 14, 14, 5, 14}));
  EXPECT_EQ(pair().types, (Ids{0, 0, 0, 0, 0, 0}));
}

TEST_F(WordLists, Roberta) {
  open(false, R"({"tokenizer_class": "RobertaTokenizer"})");
  EXPECT_EQ(ids("the the <mask> the12"), (Ids{0, 10, 11, 8, 4, 11, 13, 14, 2}));
  EXPECT_EQ(ids("The cats"), (Ids{0, 6, 7, 8, 5, 2}));
  EXPECT_EQ(pair().ids, (Ids{0, 10, 2, 2, 10, 2}));
  // Offsets are trimmed: " the" is 4 to 7 of the first text.
  EXPECT_EQ(tokenizer->encode("the the").tokens[2].begin, 4u);
}

TEST_F(WordLists, Gpt2) {
  open(false, R"({"tokenizer_class": "GPT2Tokenizer"})");
  EXPECT_EQ(ids("the the <mask> the12"), (Ids{10, 11, 8, 11, 13, 14}));
  EXPECT_EQ(ids("the<|endoftext|>"), (Ids{10, 12}));
  EXPECT_EQ(tokenizer->encode("the the").tokens[1].begin, 3u);
  EXPECT_EQ(pair().types, (Ids{0, 1}));
  open(false, R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
                  "add_prefix_space": true})");
  EXPECT_EQ(ids("the the <mask> the12"), (Ids{12, 11, 11, 8, 11, 13, 14}));
  EXPECT_EQ(pair().ids, (Ids{12, 11, 12, 11}));
  EXPECT_EQ(pair().types, (Ids{0, 0, 1, 1}));
}

TEST_F(WordLists, Qwen2) {
  open(false, R"({"tokenizer_class": "Qwen2Tokenizer"})");
  EXPECT_EQ(ids("the the <mask> the12"), (Ids{10, 11, 8, 11, 13, 14}));
  EXPECT_EQ(ids("the<|endoftext|>"), (Ids{10, 12}));
}

TEST_F(WordLists, Refused) {
  files.emplace();
  auto read = [&] {
    return checkpoint::readWordLists(checkpoint::Directory(files->path()));
  };
  EXPECT_FALSE(read());
  files->write("vocab.json", pairs);
  EXPECT_FALSE(read()); // without merges.txt
  files->write("merges.txt", merges);
  EXPECT_NE(messageOf(read).find("the tokenizer_class is missing: it is not "
                                 "one of the known ones (RobertaTokenizer,"),
            std::string::npos)
      << messageOf(read);
  files->write("tokenizer_config.json", R"({"tokenizer_class": "Odd"})");
  EXPECT_NE(messageOf(read).find(
                "the tokenizer_class 'Odd' is not one of the known ones"),
            std::string::npos)
      << messageOf(read);
  files->write("tokenizer_config.json",
               R"({"tokenizer_class": "RobertaTokenizer"})");
  files->write("vocab.json", R"({"a": 0})");
  EXPECT_NE(messageOf(read).find("has no token '<s>'"), std::string::npos)
      << messageOf(read);
  files->write("vocab.json", "[1]");
  EXPECT_NE(messageOf(read).find("is not an object"), std::string::npos)
      << messageOf(read);
}
