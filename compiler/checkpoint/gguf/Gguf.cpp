// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container: the metadata of the first file as a tree, by the dots in its
// keys, and the tensors of all files.

#include "compiler/checkpoint/gguf/Gguf.h"

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/checkpoint/gguf/GgufFile.h"
#include "compiler/checkpoint/gguf/GgufTokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace transfold::checkpoint {

namespace {

using nlohmann::json;

constexpr std::string_view architectureKey = "general.architecture";
/// In addition to the keys of the architecture, the groups of keys that the
/// format defines for what a model computes (gguf-py's constants.py). Of the
/// other groups, `general.`, `split.`, `quantize.` and `imatrix.` state who
/// made the file and how, and groups that the format does not define are
/// private: `maker.quantized_by`.
constexpr std::string_view groupsOfModel[] = {
    "tokenizer.", "adapter.", "clip.", "diffusion.", "xielu.", "training."};
/// Not a setting of the model: the template has a compiler of its own.
constexpr std::string_view templateKey = "tokenizer.chat_template";

bool isNan(const GgufScalar &value) {
  const auto *single = std::get_if<float>(&value);
  const auto *wide = std::get_if<double>(&value);
  return (single && std::isnan(*single)) || (wide && std::isnan(*wide));
}

/// A number or a text as JSON.
json jsonOf(const GgufScalar &value) {
  return std::visit([](auto each) { return json(each); }, value);
}

/// The longest lists that the configuration contains: one value per layer.
constexpr size_t longestList = 4096;

/// The largest number of steps of a key; each is a level of recursion for code
/// that walks the tree.
constexpr int64_t mostSteps = 16;

/// A checkpoint of one or several GGUF files. Everything is read and checked on
/// opening, except for the tokenizer.
class Gguf : public Checkpoint {
public:
  explicit Gguf(const std::string &path) : given(path) {
    parts.push_back(GgufFile::open(path));
    openParts();
    for (const GgufFile &part : parts)
      for (const auto &[name, tensor] : part.tensors)
        if (!allTensors.emplace(name, tensor).second)
          throw CheckpointError(
              fmt::format("{}: the tensor '{}' is in another part too",
                          part.file->path(), name));
    requireModel();
    takeScales();
    for (const auto &[key, value] : head().metadata)
      if (isOfModel(key))
        insert(key, value);
    insertEnds();
  }

  std::string_view container() const override { return "gguf"; }
  const std::string &path() const override { return given; }
  const json &config() const override { return configuration; }
  const json *file(const std::string &) const override { return nullptr; }
  const std::map<std::string, StoredTensor> &tensors() const override {
    return allTensors;
  }
  Architecture architecture() const override {
    const auto *name = head().scalar<std::string_view>(architectureKey);
    return {std::string(name ? *name : ""), std::string(architectureKey),
            given};
  }

  TokenizerSource tokenizer() const override { return tokenizerOf(head()); }
  ChatTemplate chatTemplate() const override { return chatTemplateOf(head()); }

private:
  std::string given;
  /// In order; the first has the metadata.
  std::vector<GgufFile> parts;
  json configuration = json::object();
  std::map<std::string, StoredTensor> allTensors;

  const GgufFile &head() const { return parts.front(); }

  /// Matrices in NVFP4 may have a separate factor, and another one for their
  /// input if that is rounded, too. Both are dropped; a factor of a matrix that
  /// is not 1 is an error.
  void takeScales() {
    std::vector<std::string> names;
    for (const auto &[name, tensor] : allTensors)
      if (tensor.dtype == DType::NVFP4 && name.ends_with(".weight"))
        names.push_back(name.substr(0, name.size() - 6));
    for (const std::string &name : names) {
      auto scale = allTensors.find(name + "scale");
      if (scale != allTensors.end())
        for (int64_t k = 0; k < scale->second.count(); ++k)
          if (double factor = scale->second.element(k); factor != 1)
            throw CheckpointError(fmt::format(
                "{}: '{}scale' is {}, a factor of a matrix in NVFP4, which "
                "transfold does not read; take the model's file in another "
                "type, Q4_K_M for example",
                given, name, factor));
      allTensors.erase(name + "scale");
      allTensors.erase(name + "input_scale");
    }
  }

  /// Refuses adapters and parts of a model, which have the model's
  /// architecture.
  void requireModel() const {
    const auto *type = head().scalar<std::string_view>("general.type");
    for (auto [name, what] :
         {std::pair("adapter",
                    "the adapter of a model, which is not supported"),
          std::pair("mmproj", "the part of a model that reads images or sound"),
          std::pair("imatrix", "statistics of a model's activations")})
      if (type && *type == name)
        throw CheckpointError(fmt::format(
            "{}: is {} (general.type is {}); give the model's own file", given,
            what, name));
  }

  /// Whether a key belongs to the configuration, where it must be read or
  /// ignored.
  bool isOfModel(std::string_view key) const {
    if (key == architectureKey)
      return true;
    if (key.starts_with(templateKey))
      return false;
    const auto *own = head().scalar<std::string_view>(architectureKey);
    return (own && key.starts_with(*own) &&
            key.substr(own->size()).starts_with('.')) ||
           std::ranges::any_of(groupsOfModel, [&](std::string_view group) {
             return key.starts_with(group);
           });
  }

  /// Inserts a value; "llama.rope.freq_base" is three steps into the tree.
  void insert(const std::string &key, const GgufValue &value) {
    json content;
    if (const auto *scalar = std::get_if<GgufScalar>(&value)) {
      content = checked(key, *scalar);
    } else {
      const auto &list = std::get<GgufArray>(value);
      // The lists of the tokenizer are returned by tokenizer().
      if (list.size() > longestList || key.starts_with("tokenizer."))
        return;
      content = json::array();
      list.forEach([&](const GgufScalar &each) {
        content.push_back(checked(key, each));
      });
    }
    if (std::ranges::count(key, '.') >= mostSteps)
      throw CheckpointError(
          fmt::format("{}: the key '{:.80}…' has more than {} steps", given,
                      key, mostSteps));
    json *place = &configuration;
    for (size_t begin = 0, end; begin <= key.size(); begin = end + 1) {
      end = std::min(key.find('.', begin), key.size());
      if (!place->is_object())
        failGroup(key);
      place = &(*place)[key.substr(begin, end - begin)];
      if (place->is_null())
        *place = json::object();
    }
    if (!place->is_object() || !place->empty())
      failGroup(key);
    *place = std::move(content);
  }

  /// Collects the tokens that end an answer, which GGUF stores under several
  /// keys, in one list: an additional key that a configuration can read.
  void insertEnds() {
    json ends = json::array();
    for (std::string_view key : {"eos", "eot", "eom"})
      if (auto id =
              head().count(fmt::format("tokenizer.ggml.{}_token_id", key)))
        if (std::ranges::find(ends, json(*id)) == ends.end())
          ends.push_back(*id);
    if (!ends.empty())
      configuration["tokenizer"]["ggml"]["end_token_ids"] = std::move(ends);
  }

  /// The value as JSON, which has no other encodings. Infinite numbers, which
  /// the text of JSON does not have, are values here: files of Gemma 3n have
  /// -∞ as the quantile of the layers that do not cut.
  json checked(const std::string &key, const GgufScalar &value) const {
    const auto *text = std::get_if<std::string_view>(&value);
    if (text && !isUtf8(*text))
      throw CheckpointError(
          fmt::format("{}: the text of '{}' is not UTF-8", given, key));
    if (isNan(value))
      throw CheckpointError(
          fmt::format("{}: the value of '{}' is NaN", given, key));
    return jsonOf(value);
  }

  [[noreturn]] void failGroup(const std::string &key) const {
    throw CheckpointError(fmt::format(
        "{}: '{}' is both a value and a group of values", given, key));
  }

  /// Opens the other parts of a model that was split: NAME-00001-of-00003.gguf.
  void openParts() {
    auto count = head().count("split.count").value_or(1);
    if (count <= 1)
      return;
    std::string end = fmt::format("-00001-of-{:05}.gguf", count);
    if (head().count("split.no") != 0 || !given.ends_with(end))
      throw CheckpointError(fmt::format(
          "{}: is part of a model in {} files; give the first of them, "
          "…{}",
          given, count, end));
    std::string begin = given.substr(0, given.size() - end.size());
    for (uint64_t number = 2; number <= count; ++number) {
      std::string path =
          fmt::format("{}-{:05}-of-{:05}.gguf", begin, number, count);
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored))
        throw CheckpointError(fmt::format(
            "{}: the part is missing, though {} says that there are {}; fetch "
            "it",
            path, given, count));
      // The user named only the first part, so links to others must stay in the
      // folder.
      checkStaysIn(path, std::filesystem::path(given).parent_path().string());
      parts.push_back(GgufFile::open(path));
      if (parts.back().count("split.no") != number - 1 ||
          parts.back().count("split.count") != count)
        throw CheckpointError(fmt::format(
            "{}: is not part {} of {}, as its name says", path, number, count));
    }
  }
};

} // namespace

/// Files in caches of other programs have a hash as their name: the first four
/// bytes identify them. A file with the right name is accepted without looking
/// at its bytes, so that opening it reports what is wrong.
static bool isGguf(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return false;
  if (path.ends_with(".gguf"))
    return true;
  try {
    return MappedFile::open(path)->text().starts_with("GGUF");
  } catch (const CheckpointError &) {
    return false;
  }
}

const Container gguf = {
    "gguf", "GGUF files", "a GGUF file",
    [](const std::string &path, WithoutWeights) { return isGguf(path); },
    [](const std::string &path, WithoutWeights) -> std::unique_ptr<Checkpoint> {
      return std::make_unique<Gguf>(path);
    }};

} // namespace transfold::checkpoint
