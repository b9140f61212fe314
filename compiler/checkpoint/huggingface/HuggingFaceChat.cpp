// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the chat template of a Hugging Face directory, and the tokens it may
// use.

#include "compiler/checkpoint/huggingface/HuggingFaceChat.h"

#include "compiler/checkpoint/MappedFile.h"
#include "compiler/checkpoint/huggingface/FileNames.h"

#include <fmt/format.h>

namespace transfold::checkpoint {

namespace {

using nlohmann::json;

constexpr const char *templateName = "chat_template.jinja";

/// Adds the values of the keys bos_token, eos_token, …: a text, or an object
/// with its `content`.
void addTokens(const json *file, std::map<std::string, std::string> &tokens) {
  if (!file || !file->is_object())
    return;
  for (const auto &[key, value] : file->items()) {
    const json *text = &value;
    if (value.is_object() && value.contains("content"))
      text = &value["content"];
    if (key.ends_with("_token") && text->is_string())
      tokens.try_emplace(key, text->get<std::string>());
  }
}

/// The template in `value`: a text, or a list of named templates, of which
/// "default" is the one for conversations.
std::string defaultTemplate(const json &value, const std::string &place) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_null())
    return "";
  std::string names;
  if (value.is_array())
    for (const json &each : value) {
      if (!each.is_object() || !each.contains("name") ||
          !each.contains("template") || !each["template"].is_string())
        continue;
      if (each["name"] == "default")
        return each["template"].get<std::string>();
      names += (names.empty() ? "" : ", ") + each["name"].dump();
    }
  if (names.empty())
    throw CheckpointError(fmt::format(
        "{}: is neither a text nor a list of {{name, template}}", place));
  throw CheckpointError(
      fmt::format("{}: has no template \"default\", only {}; give one of them "
                  "with --chat-template FILE",
                  place, names));
}

} // namespace

ChatTemplate readChatTemplate(const Checkpoint &checkpoint,
                              const Directory &directory) {
  ChatTemplate result;
  const json *config = checkpoint.file(tokenizerConfigName);
  addTokens(config, result.tokens);
  addTokens(checkpoint.file(specialTokensName), result.tokens);
  result.place = directory.placeOf(templateName);
  if (directory.has(templateName)) {
    auto file = MappedFile::open(result.place);
    // Checked before it is copied: the compiler of templates accepts no larger
    // ones.
    if (file->bytes().size() > largestTemplate)
      throw CheckpointError(fmt::format(
          "{}: is larger than {} MiB, which is too large for a chat template",
          result.place, largestTemplate >> 20));
    result.text = file->text();
  } else if (config && config->is_object() &&
             config->contains("chat_template")) {
    result.place = directory.placeOf(tokenizerConfigName) + ": chat_template";
    result.text = defaultTemplate((*config)["chat_template"], result.place);
  }
  return result;
}

} // namespace transfold::checkpoint
