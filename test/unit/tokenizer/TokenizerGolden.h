// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers and their goldens in test/runtime/Inputs: the answers of Hugging
// Face's tokenizers 0.23.

#pragma once

#include "runtime/tokenizer/Tokenizer.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace transfold::test {

inline std::string readInput(const std::string &name) {
  std::ifstream file(std::string(TRANSFOLD_TEST_INPUTS) + "/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline nlohmann::json offsets(const runtime::Encoding &encoding) {
  auto list = nlohmann::json::array();
  for (const runtime::Token &token : encoding.tokens)
    list.push_back({token.begin, token.end});
  return list;
}

/// Checks all texts of a golden, and its pair: ids, offsets, types.
inline void expectEncodings(const runtime::Tokenizer &tokenizer,
                            const nlohmann::json &golden) {
  for (const nlohmann::json &entry : golden["cases"]) {
    auto encoding = tokenizer.encode(entry["text"].get<std::string>());
    EXPECT_EQ(nlohmann::json(encoding.ids), entry["ids"]) << entry["text"];
    EXPECT_EQ(offsets(encoding), entry["offsets"]) << entry["text"];
  }
  const nlohmann::json &pair = golden["pair"];
  auto encoding = tokenizer.encodePair(pair["text"][0].get<std::string>(),
                                       pair["text"][1].get<std::string>());
  EXPECT_EQ(nlohmann::json(encoding.ids), pair["ids"]);
  EXPECT_EQ(nlohmann::json(encoding.types), pair["type_ids"]);
}

} // namespace transfold::test
