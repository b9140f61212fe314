// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a Hugging Face directory of three files: config.json, the index of the
// shards, and the single shard one.safetensors.

#include "compiler/checkpoint/Checkpoint.h"
#include "test/fuzz/targets/Input.h"
#include "test/unit/TemporaryDirectory.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [config, index, shard] = fuzz::filesOf<3>(fuzz::textOf(data, size));
  static const test::TemporaryDirectory directory;
  directory.write("config.json", config);
  directory.write("model.safetensors.index.json", index);
  directory.write("one.safetensors", shard);
  try {
    auto checkpoint = checkpoint::Checkpoint::open(directory.path());
    (void)checkpoint->config().dump();
    for (const auto &[name, tensor] : checkpoint->tensors())
      if (!tensor.bytes.empty())
        (void)tensor.element(0);
    // A spec may read any file of the directory.
    (void)checkpoint->file(std::string(config.substr(0, 32)));
  } catch (const checkpoint::CheckpointError &) {
  }
  return 0;
}
