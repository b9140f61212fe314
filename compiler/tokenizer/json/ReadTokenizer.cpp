// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tokenizer/json/ReadTokenizer.h"

#include "compiler/tokenizer/AddedTokensBuilder.h"
#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"
#include "runtime/Error.h"

namespace transfold::tokenizer {

using nlohmann::json;

static void readAddedTokens(const json &list, runtime::Description &description,
                            Storage &storage) {
  AddedTokensBuilder raw, normalized;
  AddedTextsBuilder texts;
  for (const json &entry : list) {
    auto content = entry.at("content").get<std::string>();
    int32_t id = idOf(entry.at("id"));
    bool special = flag(entry, "special", false);
    bool inNormalized = flag(entry, "normalized", false);
    runtime::Characters characters = runtime::decodeUtf8(content);
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

static runtime::Description read(TokenizerFile &file, Storage &storage) {
  const json &settings = file.settings;
  runtime::Description description;
  description.vocabulary = file.vocabulary.finish(storage);
  description.model = readModel(file, description.vocabulary, storage);
  description.normalizer =
      readNormalizer(stage(settings, "normalizer"), storage);
  description.preTokenizer = readPreTokenizer(stage(settings, "pre_tokenizer"));
  description.postProcessor =
      readPostProcessor(stage(settings, "post_processor"));
  readAddedTokens(stage(settings, "added_tokens"), description, storage);
  // Many programs never decode; what is wrong here is said when one does.
  try {
    description.decoder = readDecoder(stage(settings, "decoder"));
  } catch (const runtime::Error &error) {
    description.decoderProblem = error.what();
  }
  return description;
}

runtime::Description readTokenizerJson(std::string_view text,
                                       Storage &storage) {
  TokenizerFile file = TokenizerFile::parse(text);
  try {
    return read(file, storage);
  } catch (const json::exception &error) {
    runtime::fail("is not as expected: {}", error.what());
  }
}

} // namespace transfold::tokenizer
