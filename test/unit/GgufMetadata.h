// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizer of a GGUF file, read by the shortest way there is, so that
// tests of tokenizers do not hang on the container. The file must be sound.

#ifndef TRANSFOLD_TEST_UNIT_GGUFMETADATA_H
#define TRANSFOLD_TEST_UNIT_GGUFMETADATA_H

#include "compiler/checkpoint/TokenizerSource.h"

#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace transfold::test {

class GgufMetadata {
public:
  static checkpoint::GgufTokenizer tokenizerOf(const std::string &path) {
    GgufMetadata metadata(path);
    metadata.read();
    metadata.tokenizer.place = path;
    return std::move(metadata.tokenizer);
  }

private:
  enum Type : uint32_t { Bool = 7, Text = 8, List = 9 };

  std::ifstream file;
  checkpoint::GgufTokenizer tokenizer;

  explicit GgufMetadata(const std::string &path)
      : file(path, std::ios::binary) {}

  template <typename T> T number() {
    T value{};
    file.read(reinterpret_cast<char *>(&value), sizeof value);
    if (!file)
      throw std::runtime_error("the GGUF file ends early");
    return value;
  }
  std::string text() {
    std::string value(number<uint64_t>(), '\0');
    file.read(value.data(), static_cast<std::streamsize>(value.size()));
    return value;
  }
  void skip(uint32_t type) {
    constexpr int bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == Text)
      text();
    else if (type != List)
      file.ignore(bytes[type]);
    else
      forEach([this](uint32_t inner) { skip(inner); });
  }
  void forEach(const std::function<void(uint32_t)> &take) {
    auto type = number<uint32_t>();
    for (auto left = number<uint64_t>(); left > 0; --left)
      take(type);
  }

  void read() {
    number<uint64_t>(); // magic, version
    number<uint64_t>(); // tensors
    std::map<std::string, std::function<void()>> readers;
    auto on = [&](const char *key, std::function<void()> reader) {
      readers[std::string("tokenizer.ggml.") + key] = std::move(reader);
    };
    on("model", [&] { tokenizer.model = text(); });
    on("pre", [&] { tokenizer.pre = text(); });
    on("tokens",
       [&] { forEach([&](uint32_t) { tokenizer.tokens.push_back(text()); }); });
    on("merges",
       [&] { forEach([&](uint32_t) { tokenizer.merges.push_back(text()); }); });
    on("scores", [&] {
      forEach([&](uint32_t) { tokenizer.scores.push_back(number<float>()); });
    });
    on("token_type", [&] {
      forEach(
          [&](uint32_t) { tokenizer.tokenTypes.push_back(number<int32_t>()); });
    });
    on("bos_token_id", [&] { tokenizer.bos = number<uint32_t>(); });
    on("eos_token_id", [&] { tokenizer.eos = number<uint32_t>(); });
    on("unknown_token_id", [&] { tokenizer.unknown = number<uint32_t>(); });
    on("add_bos_token", [&] { tokenizer.addBos = number<uint8_t>() != 0; });
    on("add_eos_token", [&] { tokenizer.addEos = number<uint8_t>() != 0; });
    on("add_space_prefix",
       [&] { tokenizer.addSpacePrefix = number<uint8_t>() != 0; });
    for (auto left = number<uint64_t>(); left > 0; --left) {
      auto reader = readers.find(text());
      auto type = number<uint32_t>();
      if (reader != readers.end())
        reader->second();
      else
        skip(type);
    }
  }
};

} // namespace transfold::test

#endif // TRANSFOLD_TEST_UNIT_GGUFMETADATA_H
