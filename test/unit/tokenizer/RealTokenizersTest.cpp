// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers of published models compared with the ids of llama.cpp. The models
// are not in the repository: `scripts/fetch-model.sh` fetches them.

#include "compiler/checkpoint/Checkpoint.h"

#include "test/unit/tokenizer/CompiledTokenizer.h"
#include "test/unit/tokenizer/TokenizerGolden.h"

#include <filesystem>

using namespace transfold;
using nlohmann::json;

namespace {

struct Published {
  const char *name;   // name of the golden
  const char *file;   // file in the cache
  const char *script; // its name for fetch-model.sh
};

std::string cachePath(const char *file) {
  const char *cache = std::getenv("TRANSFOLD_CACHE");
  const char *home = std::getenv("HOME");
  return cache ? std::string(cache) + "/" + file
               : std::string(home ? home : "") + "/.cache/transfold/" + file;
}

class RealTokenizers : public testing::TestWithParam<Published> {};

TEST_P(RealTokenizers, GiveTheIdsOfLlamaCpp) {
  std::string path = cachePath(GetParam().file);
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << path << " is not there; scripts/fetch-model.sh "
                 << GetParam().script << " fetches it";
  test::CompiledTokenizer tokenizer(
      checkpoint::Checkpoint::open(path)->tokenizer());
  json golden =
      json::parse(test::readInput(std::string(GetParam().name) + "-ids.json"));
  auto idsOf = [](const std::vector<runtime::Token> &tokens) {
    std::vector<int32_t> ids;
    for (const runtime::Token &token : tokens)
      ids.push_back(token.id);
    return ids;
  };
  for (const json &entry : golden) {
    std::string text = entry["text"];
    std::vector<int32_t> ids = idsOf(tokenizer.tokenize(text));
    EXPECT_EQ(json(ids), entry["special"]) << entry["text"];
    runtime::TextRange all[] = {{0, text.size()}};
    EXPECT_EQ(json(idsOf(tokenizer.tokenize(text, all))), entry["typed"])
        << entry["text"];
    if (entry["whole"])
      EXPECT_EQ(tokenizer.decode(ids, true), text);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tokenizer, RealTokenizers,
    testing::Values(Published{"smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf",
                              "SmolLM2-135M-Instruct"},
                    Published{"gemma3", "gemma-3-270m.Q4_K_M.gguf",
                              "gemma-3-270m"}),
    [](const auto &info) { return info.param.name; });

} // namespace
