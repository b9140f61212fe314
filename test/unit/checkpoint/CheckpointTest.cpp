// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/Checkpoint.h"

#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

using namespace transfold::checkpoint;
using transfold::test::messageOf;
using transfold::test::TemporaryDirectory;

namespace {

/// A safetensors file with one tensor of one byte.
std::string oneTensor(const std::string &name) {
  std::string header =
      "{\"" + name +
      R"(": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})";
  return std::string(1, static_cast<char>(header.size())) +
         std::string(7, '\0') + header + "x";
}

std::string openError(const TemporaryDirectory &directory) {
  std::string message = messageOf([&] { Checkpoint::open(directory.path()); });
  // The paths of temporary files differ; only the rest is compared.
  for (size_t at; (at = message.find(directory.path())) != message.npos;)
    message.replace(at, directory.path().size(), "DIR");
  return message;
}

TEST(Checkpoint, OpensOneFile) {
  TemporaryDirectory directory;
  directory.write("config.json", R"({"eps": 1e-12, "n": 3})");
  directory.write("model.safetensors", oneTensor("w"));
  directory.write("1_Pooling/config.json", R"({"mean": true})");
  auto checkpoint = Checkpoint::open(directory.path());
  EXPECT_EQ(checkpoint->container(), "hf");
  EXPECT_EQ(checkpoint->config()["eps"], 1e-12);
  EXPECT_EQ(checkpoint->tensors().at("w").element(0), 'x');
  const nlohmann::json *pooling = checkpoint->file("1_Pooling/config.json");
  ASSERT_NE(pooling, nullptr);
  EXPECT_EQ((*pooling)["mean"], true);
  EXPECT_EQ(checkpoint->file("1_Pooling/config.json"), pooling);
  EXPECT_EQ(checkpoint->file("2_Dense/config.json"), nullptr);
  for (const char *outside : {"../x.json", "/etc/passwd", "a/../../x.json", ""})
    EXPECT_NE(messageOf([&] {
                checkpoint->file(outside);
              }).find("would lie outside of the directory"),
              std::string::npos);
}

TEST(Checkpoint, OpensShards) {
  TemporaryDirectory directory;
  directory.write("config.json", "{}");
  directory.write("one.safetensors", oneTensor("a"));
  directory.write("two.safetensors", oneTensor("b"));
  const char *index = "model.safetensors.index.json";
  directory.write(
      index,
      R"({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})");
  EXPECT_EQ(Checkpoint::open(directory.path())->tensors().size(), 2u);

  directory.write(index, R"({"weight_map": {"a": "one.safetensors",
      "b": "two.safetensors", "c": "two.safetensors"}})");
  EXPECT_EQ(openError(directory), "DIR/two.safetensors: does not hold tensor "
                                  "'c', though model.safetensors.index.json "
                                  "says so");
  directory.write(index, R"({"weight_map": {"a": "two.safetensors"}})");
  EXPECT_EQ(openError(directory),
            "DIR/two.safetensors: holds tensor 'b', which "
            "model.safetensors.index.json does not place there");
  directory.write(index, R"({"weight_map": {"a": "gone.safetensors"}})");
  EXPECT_EQ(openError(directory),
            "DIR/gone.safetensors: the shard is missing, though "
            "model.safetensors.index.json lists it; fetch it");
  directory.write(index, R"({"weight_map": {"a": "../one.safetensors"}})");
  EXPECT_EQ(openError(directory),
            "DIR/model.safetensors.index.json: tensor 'a': "
            "\"../one.safetensors\" is not the name of a file in the "
            "directory");
  directory.write(index, R"({"weights": {}})");
  EXPECT_EQ(openError(directory),
            "DIR/model.safetensors.index.json: has no 'weight_map'");
}

TEST(Checkpoint, SaysWhatIsMissing) {
  EXPECT_EQ(messageOf([] { Checkpoint::open("/nowhere/at/all"); }),
            "/nowhere/at/all: not found; give a GGUF file, or the directory "
            "that holds model.bin of CTranslate2, or the directory that holds "
            "config.json and model.safetensors");
  TemporaryDirectory directory;
  EXPECT_EQ(openError(directory), "DIR: has no config.json; give the directory "
                                  "of a Hugging Face model");
  std::string config = directory.write("config.json", "[]");
  EXPECT_EQ(messageOf([&] { Checkpoint::open(config); }),
            config +
                ": not a model; give a GGUF file, or the directory that holds "
                "model.bin of CTranslate2, or the directory that holds "
                "config.json and model.safetensors");
  EXPECT_EQ(openError(directory), "DIR/config.json: is not a JSON object");
  directory.write("config.json", "");
  EXPECT_EQ(openError(directory),
            "DIR/config.json: the file is empty; fetch it again");
  directory.write("config.json", "{\"a\": 1,\n \"a\": 2}");
  EXPECT_EQ(openError(directory),
            "DIR/config.json: byte 13, line 2: the key \"a\" occurs twice");
  directory.write("config.json", "{}");
  EXPECT_EQ(openError(directory),
            "DIR: has no model.safetensors and no model.safetensors.index.json;"
            " fetch the weights");
  directory.write("pytorch_model.bin", "x");
  EXPECT_NE(openError(directory).find("Python pickle"), std::string::npos);
}

} // namespace
