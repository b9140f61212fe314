// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads all stages of a tokenizer.json. The order matters: the vocabulary is
// finished before the model refers to it, and added tokens are normalized by
// the normalizer.

#include "compiler/tokenizer/json/ReadTokenizer.h"

#include "base/Error.h"
#include "base/NonCopyable.h"
#include "compiler/tokenizer/AddedTokensBuilder.h"
#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace transfold::tokenizer {

using nlohmann::json;

/// The ids of added tokens as `tokenizers` assigns them, regardless of the
/// file: a token of the vocabulary keeps its id, every other one gets the next
/// id.
class AddedIds : NonCopyable {
public:
  AddedIds(const runtime::Vocabulary &words, std::vector<std::string> &warnings)
      : words(words), warnings(warnings) {}
  ~AddedIds() {
    if (differences > 1)
      warnings.back() +=
          fmt::format(", and {} more of its added tokens", differences - 1);
  }

  int32_t idOf(const std::string &content, int32_t said) {
    auto [known, isNew] = ids.emplace(content, said);
    if (isNew) {
      if (std::optional<int32_t> id = words.find(content))
        known->second = *id;
      else
        known->second = next();
      largest = std::max(largest, known->second);
    }
    if (known->second != said && differences++ == 0)
      warnings.push_back(fmt::format(
          "the added token {} has the id {} and not {}, as the file says: "
          "`tokenizers` numbers added tokens by the vocabulary, and so does "
          "the program",
          json(content).dump(-1, ' ', false, json::error_handler_t::replace),
          known->second, said));
    return known->second;
  }

private:
  const runtime::Vocabulary &words;
  std::vector<std::string> &warnings;
  std::map<std::string, int32_t> ids;
  int32_t largest = -1;
  size_t differences = 0;

  int32_t next() const {
    if (largest == INT32_MAX)
      fail("there are no ids left for its added tokens");
    const auto size = static_cast<int32_t>(words.size());
    return largest >= size || size == 0 ? largest + 1 : size;
  }
};

/// Added tokens are searched for in the text as given, or in the normalized
/// text; for the latter, they are normalized themselves.
static void readAddedTokens(const json &list, runtime::Description &description,
                            Storage &storage,
                            std::vector<std::string> &warnings) {
  AddedTokensBuilder raw, normalized;
  AddedTextsBuilder texts;
  AddedIds ids(description.vocabulary, warnings);
  for (const json &entry : list) {
    auto content = entry.at("content").get<std::string>();
    int32_t id = idOf(entry.at("id"));
    if (!content.empty())
      id = ids.idOf(content, id);
    bool special = flag(entry, "special", false);
    bool inNormalized = flag(entry, "normalized", false);
    Characters characters = decodeUtf8(content);
    if (inNormalized)
      description.normalizer.apply(characters);
    (inNormalized ? normalized : raw)
        .add(characters,
             {id, special, flag(entry, "single_word", false),
              flag(entry, "lstrip", false), flag(entry, "rstrip", false)});
    texts.add(id, std::move(content), special);
  }
  description.rawTokens = raw.finish(storage);
  description.normalizedTokens = normalized.finish(storage);
  description.added = texts.finish(storage);
}

/// Reads all stages in the order in which they depend on each other.
static runtime::Description read(TokenizerFile &file, Storage &storage,
                                 std::vector<std::string> &warnings) {
  const json &settings = file.settings;
  runtime::Description description;
  description.vocabulary = file.vocabulary.finish(storage);
  description.model = readModel(file, description.vocabulary, storage);
  description.normalizer =
      readNormalizer(stage(settings, "normalizer"), storage);
  description.preTokenizer = readPreTokenizer(stage(settings, "pre_tokenizer"));
  description.postProcessor =
      readPostProcessor(stage(settings, "post_processor"));
  readAddedTokens(stage(settings, "added_tokens"), description, storage,
                  warnings);
  // Many programs never decode; an error in the decoder is reported when one
  // does.
  try {
    description.decoder = readDecoder(stage(settings, "decoder"));
  } catch (const Error &error) {
    description.decoderProblem = error.what();
  }
  return description;
}

runtime::Description readTokenizerJson(std::string_view text, Storage &storage,
                                       std::vector<std::string> &warnings) {
  TokenizerFile file = TokenizerFile::parse(text);
  try {
    return read(file, storage, warnings);
  } catch (const json::exception &error) {
    // Removes the JSON library's name of the error, which is in brackets.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
    fail("is not as `tokenizers` writes it: {}", what);
  }
}

} // namespace transfold::tokenizer
