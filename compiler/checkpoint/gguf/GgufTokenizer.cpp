// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the keys of a tokenizer. Values of the wrong type count as absent,
// except for those of lists.

#include "compiler/checkpoint/gguf/GgufTokenizer.h"

#include "compiler/checkpoint/gguf/GgufFile.h"

#include <fmt/format.h>

namespace transfold::checkpoint {

namespace {

/// Reads the keys `tokenizer.ggml.…`.
class Keys {
public:
  explicit Keys(const GgufFile &file) : file(file) {}

  std::string text(std::string_view key) const {
    const auto *value = file.scalar<std::string_view>(whole(key));
    return std::string(value ? *value : "");
  }
  std::optional<uint32_t> id(std::string_view key) const {
    auto value = file.count(whole(key));
    return value && *value <= INT32_MAX
               ? std::optional(static_cast<uint32_t>(*value))
               : std::nullopt;
  }
  std::optional<bool> flag(std::string_view key) const {
    const auto *value = file.scalar<bool>(whole(key));
    return value ? std::optional(*value) : std::nullopt;
  }
  /// Each number or text of a list, converted to T.
  template <typename T> std::vector<T> list(std::string_view key) const {
    std::vector<T> values;
    const GgufArray *array = file.array(whole(key));
    if (!array)
      return values;
    values.reserve(array->size());
    array->forEach([&](const GgufScalar &each) {
      values.push_back(std::visit(
          [&](auto value) -> T {
            // A float may be larger than any integer of the type.
            constexpr bool isCut = std::is_floating_point_v<decltype(value)> &&
                                   std::is_integral_v<T>;
            if constexpr (std::is_constructible_v<T, decltype(value)> && !isCut)
              return static_cast<T>(value);
            else
              throw CheckpointError(fmt::format(
                  "{}: the list '{}' has values of another type than it should",
                  file.file->path(), whole(key)));
          },
          each));
    });
    return values;
  }

private:
  const GgufFile &file;

  static std::string whole(std::string_view key) {
    return fmt::format("tokenizer.ggml.{}", key);
  }
};

} // namespace

TokenizerSource tokenizerOf(const GgufFile &file) {
  Keys keys(file);
  GgufTokenizer tokenizer;
  tokenizer.place = file.file->path();
  tokenizer.model = keys.text("model");
  tokenizer.tokens = keys.list<std::string>("tokens");
  if (tokenizer.model.empty() || tokenizer.tokens.empty())
    return {};
  tokenizer.pre = keys.text("pre");
  tokenizer.scores = keys.list<float>("scores");
  tokenizer.tokenTypes = keys.list<int32_t>("token_type");
  tokenizer.merges = keys.list<std::string>("merges");
  tokenizer.bos = keys.id("bos_token_id");
  tokenizer.eos = keys.id("eos_token_id");
  tokenizer.eot = keys.id("eot_token_id");
  tokenizer.unknown = keys.id("unknown_token_id");
  // The first files misspelled this key, and the misspelling became its name.
  tokenizer.separator = keys.id("seperator_token_id");
  tokenizer.padding = keys.id("padding_token_id");
  tokenizer.cls = keys.id("cls_token_id");
  tokenizer.mask = keys.id("mask_token_id");
  tokenizer.addBos = keys.flag("add_bos_token");
  tokenizer.addEos = keys.flag("add_eos_token");
  tokenizer.addSep = keys.flag("add_sep_token");
  tokenizer.addSpacePrefix = keys.flag("add_space_prefix");
  tokenizer.lowercase = keys.flag("normalizer.lowercase");
  tokenizer.stripAccents = keys.flag("normalizer.strip_accents");
  tokenizer.removeExtraWhitespaces = keys.flag("remove_extra_whitespaces");
  for (auto byte : keys.list<uint8_t>("precompiled_charsmap"))
    tokenizer.precompiledCharsmap.push_back(static_cast<char>(byte));
  return tokenizer;
}

ChatTemplate chatTemplateOf(const GgufFile &file) {
  constexpr std::string_view key = "tokenizer.chat_template";
  ChatTemplate chat;
  const auto *text = file.scalar<std::string_view>(key);
  if (!text)
    return chat;
  chat.text = *text;
  chat.place = fmt::format("{}:{}", file.file->path(), key);
  const GgufArray *tokens = file.array("tokenizer.ggml.tokens");
  for (auto [name, own] : {std::pair("bos_token", "bos_token_id"),
                           std::pair("eos_token", "eos_token_id"),
                           std::pair("unk_token", "unknown_token_id"),
                           std::pair("pad_token", "padding_token_id")}) {
    auto id = file.count(fmt::format("tokenizer.ggml.{}", own));
    if (auto token = id && tokens ? tokens->text(*id) : std::nullopt)
      chat.tokens[name] = *token;
  }
  return chat;
}

} // namespace transfold::checkpoint
