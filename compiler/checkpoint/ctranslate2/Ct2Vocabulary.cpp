// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads vocabularies. The id of a token is its position in the list.

#include "compiler/checkpoint/ctranslate2/Ct2Vocabulary.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/checkpoint/MappedFile.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::checkpoint {

/// The tokens of a NAME.json. Throws CheckpointError if it is not a list of
/// strings.
static std::vector<std::string> listOf(const nlohmann::json &content,
                                       const std::string &place) {
  if (!content.is_array())
    throw CheckpointError(fmt::format(
        "{}: is not a list of tokens; convert the model again", place));
  std::vector<std::string> tokens;
  tokens.reserve(content.size());
  for (const nlohmann::json &token : content) {
    if (!token.is_string())
      throw CheckpointError(
          fmt::format("{}: token {} is not a string; convert the model again",
                      place, tokens.size()));
    tokens.push_back(token.get<std::string>());
  }
  return tokens;
}

// A token may end with a carriage return. If all lines do, the file has the
// line ends of another system.
std::vector<std::string> linesOfVocabulary(std::string_view text,
                                           const std::string &place) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!isUtf8(line))
      throw CheckpointError(fmt::format(
          "{}:{}: is not UTF-8; fetch the file again, or convert the model "
          "again",
          place, tokens.size() + 1));
    tokens.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (std::ranges::all_of(tokens, [](const std::string &token) {
        return token.ends_with('\r');
      }))
    for (std::string &token : tokens)
      token.pop_back();
  return tokens;
}

/// The first of these vocabularies that exists; empty if none does.
static std::vector<std::string>
readFirst(const Directory &directory,
          std::initializer_list<const char *> names) {
  for (std::string name : names) {
    if (const nlohmann::json *content = directory.json(name + ".json"))
      return listOf(*content, directory.placeOf(name + ".json"));
    if (directory.has(name + ".txt")) {
      auto file = MappedFile::open(directory.placeOf(name + ".txt"));
      return linesOfVocabulary(file->text(), file->path());
    }
  }
  return {};
}

std::vector<std::string> readCt2Vocabulary(const Directory &directory) {
  return readFirst(directory,
                   {"shared_vocabulary", "target_vocabulary", "vocabulary"});
}

std::vector<std::string> readCt2SourceVocabulary(const Directory &directory) {
  return readFirst(directory, {"source_vocabulary"});
}

} // namespace transfold::checkpoint
