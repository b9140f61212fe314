// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model in one GGUF file or in several, as a checkpoint.

#include "compiler/checkpoint/Checkpoint.h"

#include "test/unit/TemporaryDirectory.h"
#include "test/unit/checkpoint/GgufBytes.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold::checkpoint;
using namespace transfold::test;

namespace {

/// Part `number` of `count`, with one tensor of one element.
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

// Keys under another prefix are ignored; a key of the architecture, or of the
// format, is not.
TEST(GgufModel, KeysOfOthersAreLeftOut) {
  TemporaryDirectory directory;
  GgufBytes file;
  file.pairs = {ggufPair("general.architecture", "llama"),
                ggufPair("someone.quantized_by", "someone"),
                ggufPair("quantized_by", "someone"),
                ggufPair("llamas.temperature", 2),
                ggufPair("someone", "a value, and a group too"),
                ggufPair("other.text", "\xff"),
                ggufPair("llama.temperature", 2),
                ggufPair("adapter.lora.alpha", 3)};
  auto model = Checkpoint::open(directory.write("x.gguf", file.str()));
  const auto &config = model->config();
  EXPECT_EQ(config.size(), 3u) << config;
  EXPECT_EQ(config["llama"]["temperature"], 2);
  EXPECT_EQ(config["adapter"]["lora"]["alpha"], 3);
}

TEST(GgufModel, WhatBelongsToAModelIsNoModel) {
  for (const char *type : {"adapter", "mmproj", "imatrix"})
    EXPECT_NE(messageWith({ggufPair("general.architecture", "llama"),
                           ggufPair("general.type", type)})
                  .find("give the model's own file"),
              std::string::npos)
        << type;
  EXPECT_EQ(messageWith({ggufPair("general.architecture", "llama"),
                         ggufPair("general.type", "model")}),
            "no error");
}

// A factor of a matrix other than 1 must not be lost.
TEST(GgufModel, FactorsOfNvfp4) {
  TemporaryDirectory directory;
  auto write = [&](float factor) {
    GgufBytes file;
    file.pairs = {ggufPair("general.architecture", "llama")};
    file.tensors = {{"a.weight", {64}, 40, 0}, {"a.scale", {1}, 0, 64}};
    file.data = std::string(64, '\0') + bytesOf(factor);
    return directory.write("x.gguf", file.str());
  };
  auto model = Checkpoint::open(write(1));
  EXPECT_EQ(model->tensors().size(), 1u);
  std::string other = write(0.5f);
  EXPECT_NE(messageOf([&] {
              Checkpoint::open(other);
            }).find("'a.scale' is 0.5, a factor of a matrix in NVFP4"),
            std::string::npos);
}

// The format does not depend on the file name: other programs name files by
// their hash.
TEST(GgufModel, FirstBytesDecide) {
  TemporaryDirectory directory;
  GgufBytes file;
  file.pairs = {ggufPair("general.architecture", "llama")};
  for (const char *name : {"sha256-0f3c", "x.json", "x.gguf"})
    EXPECT_EQ(Checkpoint::open(directory.write(name, file.str()))->container(),
              "gguf");
  file.magic = "GGML";
  std::string other = directory.write("sha256-1a", file.str());
  EXPECT_NE(messageOf([&] { Checkpoint::open(other); }).find("not a model"),
            std::string::npos);
  std::string damaged = directory.write("y.gguf", file.str());
  EXPECT_NE(messageOf([&] {
              Checkpoint::open(damaged);
            }).find("does not begin with GGUF"),
            std::string::npos);
  EXPECT_NE(messageOf([&] {
              Checkpoint::open(directory.write("short", "GG"));
            }).find("not a model"),
            std::string::npos);
}

/// A key of the architecture `m`.
std::string messageOfModel(std::vector<std::string> pairs) {
  pairs.insert(pairs.begin(), ggufPair("general.architecture", "m"));
  return messageWith(pairs);
}

TEST(GgufModel, RefusesKeysThatAreNoTree) {
  EXPECT_NE(messageOfModel({ggufPair("m.a", 1), ggufPair("m.a.b", 2)})
                .find("'m.a.b' is both a value and a group of values"),
            std::string::npos);
  EXPECT_NE(messageOfModel({ggufPair("m.a.b", 2), ggufPair("m.a", 1)})
                .find("'m.a.b' is both a value and a group of values"),
            std::string::npos);
  EXPECT_NE(messageOfModel({ggufPair("m.a", "\xff")})
                .find("the text of 'm.a' is not UTF-8"),
            std::string::npos);
  EXPECT_NE(messageOfModel({ggufPair("m" + std::string(60000, '.'), 1)})
                .find("has more than 16 steps"),
            std::string::npos);
}

TEST(GgufModel, RefusesNumbersThatAreNone) {
  EXPECT_NE(messageOfModel({ggufPair("m.a", 6, bytesOf(NAN))})
                .find("the value of 'm.a' is NaN"),
            std::string::npos);
  for (float number : {INFINITY, -INFINITY})
    EXPECT_EQ(messageOfModel({ggufPair("m.a", 6, bytesOf(number))}),
              "no error");
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
