// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the SentencePiece models in a directory of CTranslate2, and numbers
// their pieces by its vocabulary.

#include "compiler/checkpoint/ctranslate2/CTranslate2Tokenizer.h"

#include "base/files/FilesRead.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/ctranslate2/Ct2Vocabulary.h"
#include "compiler/checkpoint/huggingface/HfSentencePiece.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace transfold::checkpoint {

namespace {

using nlohmann::json;

/// The model that splits texts, and the model that joins pieces.
struct Files {
  std::string model, writer;
};

/// The names of all files with the extensions of SentencePiece models.
std::vector<std::string> otherModels(const Directory &directory) {
  std::vector<std::string> names;
  noteRead(directory.path());
  std::error_code ignored;
  for (const auto &entry :
       std::filesystem::directory_iterator(directory.path(), ignored)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".spm") || name.ends_with(".model"))
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// source.spm and target.spm, or else the only model; nullopt if there is none.
std::optional<Files> filesIn(const Directory &directory) {
  if (directory.has("source.spm") && directory.has("target.spm"))
    return Files{"source.spm", "target.spm"};
  std::vector<std::string> others = otherModels(directory);
  if (others.size() > 1)
    throw CheckpointError(
        fmt::format("{}: it is not clear which of {} is the tokenizer; leave "
                    "one, or name two of them source.spm and target.spm",
                    directory.path(), fmt::join(others, ", ")));
  if (others.empty())
    return std::nullopt;
  return Files{others[0], ""};
}

/// The ids of tokens. Throws CheckpointError if source and target have
/// different vocabularies, because one tokenizer could not serve both.
TokenNumbers numbersOf(const Directory &directory) {
  std::vector<std::string> written = readCt2Vocabulary(directory);
  std::vector<std::string> read = readCt2SourceVocabulary(directory);
  if (!read.empty() && read != written)
    throw CheckpointError(fmt::format(
        "{}: both languages have a vocabulary of their own, which is not "
        "supported for texts; `eval` takes ids",
        directory.path()));
  TokenNumbers numbers; // of equal tokens, the first counts
  for (size_t i = 0; i < written.size(); ++i)
    numbers.emplace(written[i], static_cast<int32_t>(i));
  return numbers;
}

/// The text of a key; empty if it is absent or of another type.
std::string textOf(const json &configuration, const char *key) {
  auto found = configuration.find(key);
  return found != configuration.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

/// Whether a key is present and true.
bool isSet(const json &configuration, const char *key) {
  auto found = configuration.find(key);
  return found != configuration.end() && found->is_boolean() &&
         found->get<bool>();
}

/// The tokenizer according to config.json, which has a flag for each end of a
/// text.
SentencePieceTokenizer plain(const Directory &directory, const Files &files,
                             const json &configuration, TokenNumbers numbers) {
  SentencePieceTokenizer result;
  result.model = SentencePieceModel::open(directory.placeOf(files.model));
  if (!files.writer.empty())
    result.writer = SentencePieceModel::open(directory.placeOf(files.writer));
  result.numbers = std::move(numbers);
  auto add = [&](const std::string &text) -> std::optional<int32_t> {
    auto found = result.numbers.find(text);
    if (found == result.numbers.end())
      return std::nullopt;
    result.added.push_back({.text = text, .id = found->second});
    return found->second;
  };
  std::optional<int32_t> unknown = add(textOf(configuration, "unk_token"));
  if (!unknown)
    throw CheckpointError(fmt::format(
        "{}: the vocabulary lacks the unk_token of config.json; convert the "
        "model again",
        directory.path()));
  result.unknown = *unknown;
  std::optional<int32_t> bos = add(textOf(configuration, "bos_token"));
  std::optional<int32_t> eos = add(textOf(configuration, "eos_token"));
  if (bos && isSet(configuration, "add_source_bos"))
    result.single.insert(result.single.begin(), {-1, 0, {*bos}});
  if (eos && isSet(configuration, "add_source_eos"))
    result.single.push_back({-1, 0, {*eos}});
  for (const auto &[text, id] : result.numbers)
    if (text.starts_with(">>") && text.ends_with("<<"))
      result.leading.push_back({.text = text, .id = id});
  return result;
}

} // namespace

std::optional<SentencePieceTokenizer> readCt2Pieces(const Directory &directory,
                                                    const json &configuration) {
  std::optional<Files> files = filesIn(directory);
  if (!files)
    return std::nullopt;
  TokenNumbers numbers = numbersOf(directory);
  if (numbers.empty())
    return std::nullopt;
  // Converters of transformers' models leave the ends of a text to its
  // tokenizer, whose files may be present.
  bool hasEnds = isSet(configuration, "add_source_bos") ||
                 isSet(configuration, "add_source_eos");
  if (!hasEnds && directory.has("tokenizer_config.json"))
    if (auto named = readHuggingFacePieces(directory, &numbers))
      return named;
  return plain(directory, *files, configuration, std::move(numbers));
}

} // namespace transfold::checkpoint
