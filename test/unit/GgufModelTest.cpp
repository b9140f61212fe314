// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model in one GGUF file or in several, as a checkpoint.

#include "compiler/checkpoint/Checkpoint.h"

#include "test/unit/GgufBytes.h"
#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold::checkpoint;
using namespace transfold::test;

namespace {

/// Part `number` of `count`, with one tensor of one number.
std::string part(const std::string &tensor, uint32_t number, uint32_t count) {
  GgufBytes file;
  file.pairs = {ggufPair("split.no", number), ggufPair("split.count", count)};
  if (number == 0)
    file.pairs.push_back(ggufPair("general.architecture", "llama"));
  file.tensors = {{tensor, {1}, 0, 0}};
  file.data = bytesOf(static_cast<float>(number));
  return file.str();
}

std::string messageWith(const std::vector<std::string> &pairs) {
  TemporaryDirectory directory;
  GgufBytes file;
  file.pairs = pairs;
  std::string path = directory.write("x.gguf", file.str());
  return messageOf([&] { Checkpoint::open(path); });
}

TEST(GgufModel, KeysAreATree) {
  TemporaryDirectory directory;
  GgufBytes file;
  file.pairs = {ggufPair("general.architecture", "llama"),
                ggufPair("general.name", "left out"),
                ggufPair("llama.rope.freq_base", 6, bytesOf(10000.0f)),
                ggufPair("llama.block_count", 2),
                ggufPair("tokenizer.ggml.eos_token_id", 2),
                ggufPair("tokenizer.ggml.eot_token_id", 7)};
  auto model = Checkpoint::open(directory.write("x.gguf", file.str()));
  EXPECT_EQ(model->container(), "gguf");
  EXPECT_EQ(model->architecture().name, "llama");
  EXPECT_EQ(model->config()["llama"]["rope"]["freq_base"], 10000);
  EXPECT_EQ(model->config()["llama"]["block_count"], 2);
  EXPECT_FALSE(model->config()["general"].contains("name"));
  EXPECT_EQ(model->config()["tokenizer"]["ggml"]["end_token_ids"],
            (std::vector<int>{2, 7}));
}

TEST(GgufModel, RefusesKeysThatAreNoTree) {
  EXPECT_NE(messageWith({ggufPair("a", 1), ggufPair("a.b", 2)})
                .find("'a.b' is a value, and a group of values too"),
            std::string::npos);
  EXPECT_NE(messageWith({ggufPair("a.b", 2), ggufPair("a", 1)})
                .find("'a.b' is a value, and a group of values too"),
            std::string::npos);
  EXPECT_NE(
      messageWith({ggufPair("a", "\xff")}).find("the text of 'a' is not UTF-8"),
      std::string::npos);
  EXPECT_NE(messageWith({ggufPair(std::string(60000, '.'), 1)})
                .find("has more than 16 steps"),
            std::string::npos);
}

TEST(GgufModel, RefusesNumbersThatAreNone) {
  for (float number : {INFINITY, NAN})
    EXPECT_NE(messageWith({ggufPair("a", 6, bytesOf(number))})
                  .find("the value of 'a' is infinite or no number"),
              std::string::npos);
}

TEST(GgufModel, PartsAreOneModel) {
  TemporaryDirectory directory;
  std::string first = directory.write("m-00001-of-00002.gguf", part("a", 0, 2));
  std::string second =
      directory.write("m-00002-of-00002.gguf", part("b", 1, 2));
  auto model = Checkpoint::open(first);
  EXPECT_EQ(model->tensors().size(), 2u);
  EXPECT_EQ(model->tensors().at("b").element(0), 1);
  EXPECT_NE(messageOf([&] {
              Checkpoint::open(second);
            }).find("give the first of them, …-00001-of-00002.gguf"),
            std::string::npos);
}

TEST(GgufModel, RefusesPartsThatAreNone) {
  TemporaryDirectory directory;
  std::string first = directory.write("m-00001-of-00002.gguf", part("a", 0, 2));
  auto message = [&] { return messageOf([&] { Checkpoint::open(first); }); };
  EXPECT_NE(message().find("the part is missing"), std::string::npos);
  for (auto &&[number, count] : {std::pair{0u, 2u}, {2u, 2u}, {1u, 3u}}) {
    directory.write("m-00002-of-00002.gguf", part("b", number, count));
    EXPECT_NE(message().find("is not part 2 of 2, as its name says"),
              std::string::npos);
  }
  directory.write("m-00002-of-00002.gguf", part("a", 1, 2));
  EXPECT_NE(message().find("the tensor 'a' is in another part too"),
            std::string::npos);
  std::string renamed = directory.write("m.gguf", part("a", 0, 2));
  EXPECT_NE(messageOf([&] {
              Checkpoint::open(renamed);
            }).find("give the first of them"),
            std::string::npos);
}

} // namespace
