// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the files that describe special tokens. A token is identified by its
// text; later files add to what earlier ones state about it.

#include "compiler/checkpoint/huggingface/SpecialTokens.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/huggingface/FileNames.h"

#include <fmt/format.h>

#include <charconv>

namespace transfold::checkpoint {

namespace {

using nlohmann::json;

constexpr const char *addedName = "added_tokens.json";

/// Throws CheckpointError about a file, with the remedy.
template <typename... Args>
[[noreturn]] void fail(const std::string &place,
                       fmt::format_string<Args...> format, Args &&...args) {
  throw CheckpointError(
      fmt::format("{}: {}; correct it, or fetch it again", place,
                  fmt::format(format, std::forward<Args>(args)...)));
}

/// The largest number of tokens in lists and records.
constexpr size_t mostTokens = 100'000;

} // namespace

int32_t tokenNumber(const json &value, const std::string &text,
                    const std::string &place) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT32_MAX)
    fail(place, "the id of the token {} is {}, not 0 to {}", json(text).dump(),
         value.dump(), INT32_MAX);
  return static_cast<int32_t>(value.get<uint64_t>());
}

SpecialTokens::Token &SpecialTokens::add(const std::string &text) {
  auto [found, isNew] = byText.try_emplace(text, tokens.size());
  if (isNew)
    tokens.push_back({.text = text, .id = {}});
  return tokens[found->second];
}

/// Reads a text, or an object with the text and with how it is matched.
SpecialTokens::Token &SpecialTokens::read(const json &value,
                                          const std::string &place) {
  if (value.is_string())
    return add(value.get<std::string>());
  auto content = value.is_object() ? value.find("content") : value.end();
  if (!value.is_object() || content == value.end() || !content->is_string())
    fail(place,
         "a token is {}, which is neither a string nor has a \"content\"",
         value.dump());
  Token &token = add(content->get<std::string>());
  auto has = [&](const char *name, bool otherwise) {
    auto flag = value.find(name);
    return flag != value.end() && flag->is_boolean() ? flag->get<bool>()
                                                     : otherwise;
  };
  token.special = has("special", true);
  token.leftStrip = has("lstrip", token.leftStrip);
  token.rightStrip = has("rstrip", token.rightStrip);
  token.singleWord = has("single_word", token.singleWord);
  return token;
}

/// Reads the keys eos_token, …; the first file with a key has priority.
void SpecialTokens::readMap(const json *file, const char *name) {
  if (!file)
    return;
  std::string place = directory.placeOf(name);
  if (!file->is_object())
    fail(place, "is not a JSON object");
  for (const auto &[key, value] : file->items()) {
    bool isText = value.is_string() || value.is_object();
    if (key.ends_with("_token") && value.is_null())
      roles.try_emplace(key, "");
    else if (key.ends_with("_token") && isText && !roles.contains(key))
      roles.emplace(key, read(value, place).text);
  }
  auto more = file->find("additional_special_tokens");
  if (more == file->end() || !more->is_array())
    return;
  if (more->size() > mostTokens)
    fail(place, "lists more than {} tokens", mostTokens);
  for (const json &each : *more)
    read(each, place);
}

/// Reads added_tokens.json: ids by texts.
void SpecialTokens::readAdded() {
  const json *file = directory.json(addedName);
  if (!file)
    return;
  std::string place = directory.placeOf(addedName);
  if (!file->is_object() || file->size() > mostTokens)
    fail(place, "is not an object of at most {} tokens", mostTokens);
  for (const auto &[text, id] : file->items())
    add(text).id = tokenNumber(id, text, place);
}

/// Reads "added_tokens_decoder": tokens by their ids.
void SpecialTokens::readAddedDecoder() {
  const json &list = value("added_tokens_decoder");
  std::string place = directory.placeOf(tokenizerConfigName);
  if (list.is_null())
    return;
  if (!list.is_object() || list.size() > mostTokens)
    fail(place,
         "\"added_tokens_decoder\" is not an object of at most {} tokens",
         mostTokens);
  for (const auto &[key, entry] : list.items()) {
    int32_t id = 0;
    const char *end = key.data() + key.size();
    auto [rest, problem] = std::from_chars(key.data(), end, id);
    if (problem != std::errc() || rest != end || id < 0)
      fail(place,
           "\"added_tokens_decoder\" has {}, which is not the id of a token",
           json(key).dump());
    read(entry, place).id = id;
  }
}

SpecialTokens::SpecialTokens(const Directory &directory)
    : directory(directory), settings(directory.json(tokenizerConfigName)) {
  readMap(settings, tokenizerConfigName);
  readMap(directory.json(specialTokensName), specialTokensName);
  readAdded();
  readAddedDecoder();
}

const SpecialTokens::Token *SpecialTokens::find(std::string_view text) const {
  auto found = byText.find(text);
  return found == byText.end() ? nullptr : &tokens[found->second];
}

std::string SpecialTokens::textOf(const std::string &role,
                                  const std::string &otherwise) const {
  auto found = roles.find(role);
  return found == roles.end() ? otherwise : found->second;
}

const json &SpecialTokens::value(const char *name) const {
  static const json none;
  if (!settings)
    return none;
  auto found = settings->find(name);
  return found == settings->end() ? none : *found;
}

std::string SpecialTokens::setting(const char *name,
                                   const std::string &otherwise) const {
  const json &found = value(name);
  return found.is_string() ? found.get<std::string>() : otherwise;
}

bool SpecialTokens::flag(const char *name, bool otherwise) const {
  const json &found = value(name);
  return found.is_boolean() ? found.get<bool>() : otherwise;
}

int64_t SpecialTokens::count(const char *name, int64_t otherwise) const {
  const json &found = value(name);
  if (found.is_null())
    return otherwise;
  if (!found.is_number_unsigned() || found.get<uint64_t>() > mostTokens)
    fail(directory.placeOf(tokenizerConfigName), "\"{}\" is {}, not 0 to {}",
         name, found.dump(), mostTokens);
  return static_cast<int64_t>(found.get<uint64_t>());
}

} // namespace transfold::checkpoint
