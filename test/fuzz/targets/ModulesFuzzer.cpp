// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a directory of Sentence Transformers with two files: modules.json, and
// the weights of its module 1_Dense. The transformer is in the directory itself
// and in 0_Transformer.

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/huggingface/SentenceModules.h"
#include "test/fuzz/targets/Input.h"
#include "test/unit/TemporaryDirectory.h"

using namespace transfold;

/// Writes a transformer with one tensor.
static void writeTransformer(const test::TemporaryDirectory &directory,
                             const std::string &folder) {
  std::string header =
      R"({"w": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})";
  const char length[8] = {static_cast<char>(header.size())};
  directory.write(folder + "config.json", R"({"model_type": "bert"})");
  directory.write(folder + "model.safetensors",
                  std::string(length, sizeof length) + header + "x");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [modules, weights] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  static const auto *directory = [] {
    static const test::TemporaryDirectory made;
    for (const char *folder : {"", "0_Transformer/"})
      writeTransformer(made, folder);
    return &made;
  }();
  directory->write("modules.json", modules);
  directory->write("1_Dense/model.safetensors", weights);
  try {
    auto [transformer, others] = checkpoint::readSentenceModules(
        checkpoint::Directory(directory->path()));
    others.push_back(transformer);
    for (const std::string &folder : others)
      fuzz::require(folder.empty() ||
                        checkpoint::Directory::staysInside(folder),
                    "the folder of a module is in the directory");
    auto checkpoint = checkpoint::Checkpoint::open(directory->path());
    // The first module is the transformer, in any folder.
    const bool isOurs = transformer.empty() || transformer == "0_Transformer";
    fuzz::require(!isOurs || checkpoint->tensors().contains("w"),
                  "the transformer's");
    for (const auto &[name, tensor] : checkpoint->tensors())
      if (!tensor.bytes.empty())
        (void)tensor.element(0);
  } catch (const checkpoint::CheckpointError &) {
  }
  return 0;
}
