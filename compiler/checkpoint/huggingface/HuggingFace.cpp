// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container: config.json and the tensors of one or several safetensors
// files, or random tensors if there are no weights.

#include "compiler/checkpoint/huggingface/HuggingFace.h"

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/checkpoint/MappedFile.h"
#include "compiler/checkpoint/huggingface/HfSentencePiece.h"
#include "compiler/checkpoint/huggingface/HuggingFaceChat.h"
#include "compiler/checkpoint/huggingface/RandomTensors.h"
#include "compiler/checkpoint/huggingface/Safetensors.h"
#include "compiler/checkpoint/huggingface/SentenceModules.h"
#include "compiler/checkpoint/huggingface/TokenCodes.h"
#include "compiler/checkpoint/huggingface/WordLists.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace transfold::checkpoint {

namespace {

namespace filesystem = std::filesystem;
using nlohmann::json;

constexpr const char *configName = "config.json";
constexpr const char *weightsName = "model.safetensors";
constexpr const char *indexName = "model.safetensors.index.json";

/// Whether a path is the configuration alone, for a model without weights.
bool isConfiguration(const std::string &path, WithoutWeights missing) {
  return missing == WithoutWeights::MakeUp && path.ends_with(".json");
}

/// The directory with the files of a model.
std::string directoryOf(const std::string &given, WithoutWeights missing) {
  if (!isConfiguration(given, missing))
    return given;
  filesystem::path path(given);
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

/// A checkpoint in Hugging Face's form. The tokenizer is read when it is asked
/// for.
class HuggingFace : public Checkpoint {
public:
  HuggingFace(const std::string &given, WithoutWeights missing)
      : directory(directoryOf(given, missing)), missing(missing) {
    if (isConfiguration(given, missing)) {
      readConfig(filesystem::path(given).filename().string());
      makeUpTensors();
      return;
    }
    refuseAdapter();
    SentenceModules modules = readSentenceModules(directory);
    if (!modules.transformer.empty())
      directory.enter(modules.transformer);
    readConfig(configName);
    readTensors();
    readModules(modules);
  }

  std::string_view container() const override { return "hf"; }
  const std::string &path() const override { return directory.path(); }
  const json &config() const override { return configuration; }
  Architecture architecture() const override {
    auto type = configuration.find("model_type");
    bool isThere = type != configuration.end() && type->is_string();
    return {isThere ? type->get<std::string>() : "", "model_type",
            directory.placeOf(configName)};
  }
  TokenizerSource tokenizer() const override {
    TokenizerSource source = directory.tokenizer();
    if (source.index() == 0)
      if (auto pieces = readHuggingFacePieces(directory))
        source = std::move(*pieces);
    if (source.index() == 0)
      if (auto lists = readWordLists(directory))
        source = std::move(*lists);
    return source;
  }
  std::map<std::string, int64_t>
  codes(const std::string &pattern) const override {
    return huggingFaceCodes(directory, pattern);
  }
  ChatTemplate chatTemplate() const override {
    return readChatTemplate(*this, directory);
  }
  const std::map<std::string, StoredTensor> &tensors() const override {
    return allTensors;
  }

  bool isMadeUp() const override { return random != nullptr; }
  void makeUp(const std::string &name,
              const std::vector<int64_t> &shape) const override {
    if (random && !allTensors.contains(name))
      allTensors.emplace(name, random->make(name, shape));
  }

  const json *file(const std::string &name) const override {
    return directory.json(name);
  }

private:
  Directory directory;
  WithoutWeights missing;
  json configuration;
  /// The mappings into which `allTensors` points.
  std::vector<std::shared_ptr<const MappedFile>> mappings;
  /// Grows if tensors are made up.
  mutable std::map<std::string, StoredTensor> allTensors;
  std::unique_ptr<RandomTensors> random;

  /// Throws CheckpointError for an adapter, because the weights that it changes
  /// are not part of it.
  void refuseAdapter() {
    for (const char *name : {"adapter_config.json", "adapter_model.safetensors",
                             "adapter_model.bin"})
      if (directory.has(name))
        throw CheckpointError(fmt::format(
            "{}: is of an adapter (LoRA), whose weights change those of "
            "another model; merge them (load it with peft, call "
            "merge_and_unload, then save_pretrained) and compile the result",
            directory.placeOf(name)));
  }

  /// Adds the tensors of the modules of Sentence Transformers; the names of
  /// their folders are prefixes: "2_Dense/linear.weight".
  void readModules(const SentenceModules &modules) {
    for (const std::string &folder : modules.others) {
      std::string weights = weightsOfModule(directory, folder);
      if (weights.empty())
        continue;
      for (auto &[name, stored] : readFile(weights))
        allTensors.emplace(fmt::format("{}/{}", folder, name),
                           std::move(stored));
    }
  }

  /// Reads the configuration, which must be a JSON object.
  void readConfig(const std::string &name) {
    std::string path = directory.placeOf(name);
    if (!directory.has(name))
      throw CheckpointError(fmt::format(
          "{}: has no {}; give the directory of a Hugging Face model",
          directory.path(), name));
    configuration = readJsonFile(path);
    if (!configuration.is_object())
      throw CheckpointError(fmt::format("{}: is not a JSON object", path));
  }

  /// One file has priority over shards.
  void readTensors() {
    if (directory.has(weightsName))
      allTensors = readFile(weightsName);
    else if (directory.has(indexName))
      readShards();
    else if (missing == WithoutWeights::MakeUp)
      makeUpTensors();
    else
      throw CheckpointError(fmt::format(
          "{}: has no model.safetensors{}", directory.path(),
          directory.has("pytorch_model.bin")
              ? "; pytorch_model.bin is a Python pickle, which can run code: "
                "convert it (load it with transformers, then save_pretrained)"
              : " and no model.safetensors.index.json; fetch the weights"));
  }

  /// Prepares random tensors, in the type that the configuration states.
  void makeUpTensors() {
    auto type = configuration.find("dtype");
    if (type == configuration.end())
      type = configuration.find("torch_dtype");
    DType dtype = DType::F32;
    if (type != configuration.end() && *type == "float16")
      dtype = DType::F16;
    else if (type != configuration.end() && *type == "bfloat16")
      dtype = DType::BF16;
    random = std::make_unique<RandomTensors>(dtype);
  }

  std::map<std::string, StoredTensor> readFile(const std::string &name) {
    mappings.push_back(MappedFile::open(directory.placeOf(name)));
    return readSafetensors(*mappings.back());
  }

  /// The shard of each tensor, by name, from the index (checked).
  std::map<std::string, std::string> readIndex(const std::string &path) {
    json index = readJsonFile(path);
    if (!index.is_object() || !index.contains("weight_map") ||
        !index["weight_map"].is_object())
      throw CheckpointError(fmt::format("{}: has no 'weight_map'", path));
    std::map<std::string, std::string> shardOf;
    for (const auto &[tensor, shard] : index["weight_map"].items()) {
      if (!shard.is_string() ||
          !Directory::staysInside(shard.get<std::string>()))
        throw CheckpointError(
            fmt::format("{}: tensor '{}': {} is not the name of a file in the "
                        "directory",
                        path, tensor, shard.dump()));
      shardOf.emplace(tensor, shard.get<std::string>());
    }
    return shardOf;
  }

  /// Reads all shards. The index and the files must agree on where each tensor
  /// is, in both directions.
  void readShards() {
    std::string indexPath = directory.placeOf(indexName);
    std::map<std::string, std::string> shardOf = readIndex(indexPath);
    std::set<std::string> shards;
    for (const auto &[tensor, shard] : shardOf)
      shards.insert(shard);
    for (const std::string &shard : shards) {
      if (!directory.has(shard))
        throw CheckpointError(
            fmt::format("{}: the shard is missing, though {} lists it; fetch "
                        "it",
                        directory.placeOf(shard), indexName));
      for (auto &[tensor, stored] : readFile(shard)) {
        auto listed = shardOf.find(tensor);
        if (listed == shardOf.end() || listed->second != shard)
          throw CheckpointError(
              fmt::format("{}: holds tensor '{}', which {} does not place "
                          "there",
                          directory.placeOf(shard), tensor, indexName));
        allTensors.emplace(tensor, std::move(stored));
      }
    }
    for (const auto &[tensor, shard] : shardOf)
      if (!allTensors.contains(tensor))
        throw CheckpointError(
            fmt::format("{}: does not hold tensor '{}', though {} says so",
                        directory.placeOf(shard), tensor, indexName));
  }
};

} // namespace

const Container huggingFace = {
    "hf", "directories of Hugging Face",
    "the directory that holds config.json and model.safetensors",
    [](const std::string &path, WithoutWeights missing) {
      std::error_code ignored;
      return isConfiguration(path, missing) ||
             filesystem::is_directory(path, ignored);
    },
    [](const std::string &path,
       WithoutWeights missing) -> std::unique_ptr<Checkpoint> {
      return std::make_unique<HuggingFace>(path, missing);
    }};

} // namespace transfold::checkpoint
