// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container: configuration and vocabulary of a directory, and the tensors
// of its model.bin (Ct2File.h).

#include "compiler/checkpoint/ctranslate2/Ct2.h"

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/checkpoint/ctranslate2/CTranslate2Tokenizer.h"
#include "compiler/checkpoint/ctranslate2/Ct2File.h"
#include "compiler/checkpoint/ctranslate2/Ct2Vocabulary.h"
#include "compiler/checkpoint/huggingface/HuggingFaceChat.h"
#include "compiler/checkpoint/huggingface/TokenCodes.h"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>

namespace transfold::checkpoint {

namespace {

using nlohmann::json;

constexpr const char *weightsName = "model.bin";
constexpr const char *configName = "config.json";

/// From this version on, config.json states how texts begin and end; before,
/// variables of model.bin did, with defaults for absent ones.
constexpr uint32_t withConfiguration = 6;
/// Variables with the texts of special tokens, and CTranslate2's defaults for
/// them.
constexpr std::pair<const char *, const char *> formerTexts[] = {
    {"unk_token", "<unk>"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}};

/// A checkpoint of CTranslate2. Everything is read and checked on opening.
class Ct2 : public Checkpoint {
public:
  explicit Ct2(const std::string &given)
      : directory(given),
        weights(Ct2File::open(directory.placeOf(weightsName))) {
    if (const json *content = directory.json(configName))
      configuration = *content;
    if (!configuration.is_object())
      throw CheckpointError(fmt::format("{}: is not a JSON object",
                                        directory.placeOf(configName)));
    if (weights.version < withConfiguration)
      addFormerConfiguration();
    int64_t number = 0;
    for (std::string &token : readCt2Vocabulary(directory))
      // Of equal tokens, the first counts.
      numbers.emplace(std::move(token), number++);
  }

  std::string_view container() const override { return "ct2"; }
  const std::string &path() const override { return directory.path(); }
  const json &config() const override { return configuration; }
  Architecture architecture() const override {
    return {weights.spec.empty() ? "TransformerSpec" : weights.spec,
            "specification", directory.placeOf(weightsName)};
  }
  TokenizerSource tokenizer() const override {
    TokenizerSource source = directory.tokenizer();
    if (source.index() == 0)
      if (auto pieces = readCt2Pieces(directory, configuration))
        source = std::move(*pieces);
    return source;
  }
  ChatTemplate chatTemplate() const override {
    return readChatTemplate(*this, directory);
  }
  const json *file(const std::string &name) const override {
    return directory.json(name);
  }
  const std::map<std::string, StoredTensor> &tensors() const override {
    return weights.tensors;
  }
  std::optional<int64_t> token(const std::string &text) const override {
    auto found = numbers.find(text);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }

  std::map<std::string, int64_t>
  codes(const std::string &pattern) const override {
    std::map<std::string, int64_t> found;
    for (const auto &[text, number] : numbers)
      if (auto code = codeIn(text, pattern))
        found.emplace(*code, number);
    return found;
  }

private:
  Directory directory;
  Ct2File weights;
  json configuration = json::object();
  /// The ids of tokens by their texts.
  std::unordered_map<std::string, int64_t> numbers;

  /// Removes a variable that is not a weight, and returns it.
  std::optional<StoredTensor> take(const std::string &name) {
    auto node = weights.tensors.extract(name);
    return node ? std::optional(node.mapped()) : std::nullopt;
  }

  /// A text that is stored as a tensor of bytes.
  std::string textOf(const StoredTensor &letters, const std::string &name) {
    std::string_view text(reinterpret_cast<const char *>(letters.bytes.data()),
                          letters.bytes.size());
    if (!isUtf8(text))
      throw CheckpointError(fmt::format(
          "{}: the text of '{}' is not UTF-8; convert the model again",
          directory.placeOf(weightsName), name));
    return std::string(text);
  }

  /// Adds the keys that config.json has from version 6 on, from variables,
  /// which are removed from the tensors.
  void addFormerConfiguration() {
    auto flag = [&](const char *name, bool otherwise) {
      auto stored = take(name);
      return stored ? stored->element(0) != 0 : otherwise;
    };
    for (auto [name, otherwise] : formerTexts) {
      auto stored = take(name);
      configuration[name] = stored ? textOf(*stored, name) : otherwise;
    }
    configuration["add_source_bos"] = flag("with_source_bos", false);
    configuration["add_source_eos"] = flag("with_source_eos", false);
    const bool beginsAsTold = flag("user_decoder_start_tokens", false),
               beginsAsText = flag("with_target_bos", true);
    configuration["decoder_start_token"] =
        beginsAsTold ? json()
                     : configuration[beginsAsText ? "bos_token" : "eos_token"];
  }
};

} // namespace

const Container ct2 = {
    "ct2", "directories of CTranslate2",
    "the directory that holds model.bin of CTranslate2",
    [](const std::string &path, WithoutWeights) {
      std::error_code ignored;
      return std::filesystem::is_directory(path, ignored) &&
             Directory(path).has(weightsName);
    },
    [](const std::string &path, WithoutWeights) -> std::unique_ptr<Checkpoint> {
      return std::make_unique<Ct2>(path);
    }};

} // namespace transfold::checkpoint
