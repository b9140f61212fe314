// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the stage "model".

#include "base/Error.h"
#include "compiler/tokenizer/CheckModel.h"
#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"

namespace transfold::tokenizer {

using nlohmann::json;
using runtime::Vocabulary;

/// The id of the unknown token. Throws Error if the vocabulary lacks
/// it.
static int32_t unknownToken(const Vocabulary &words, const std::string &text) {
  auto found = words.find(text);
  if (!found)
    fail("the vocabulary lacks the unknown token '{}'", text);
  return *found;
}

static runtime::WordPiece readWordPiece(const json &settings,
                                        const Vocabulary &words) {
  runtime::WordPiece model;
  model.continuing = affixOr(settings, "continuing_subword_prefix", "##");
  checkTokenLengths(words);
  const json &longest = stage(settings, "max_input_chars_per_word");
  if (!longest.is_null())
    model.longestWord = countOf(longest, "max_input_chars_per_word");
  model.unknown = unknownToken(words, textOr(settings, "unk_token", "[UNK]"));
  return model;
}

/// Of two merges of the same pair the last counts; in GGUF files it is the
/// first.
static runtime::BytePairs readBytePairs(const json &settings,
                                        const Vocabulary &words,
                                        const Merges &merges,
                                        Storage &storage) {
  runtime::BytePairs model;
  model.continuing = affixOr(settings, "continuing_subword_prefix", "");
  model.wordEnd = affixOr(settings, "end_of_word_suffix", "");
  model.fuseUnknown = flag(settings, "fuse_unk", false);
  model.wholeWords = flag(settings, "ignore_merges", false);
  std::string unknown = textOr(settings, "unk_token", "");
  if (!unknown.empty())
    model.unknown = unknownToken(words, unknown);
  if (flag(settings, "byte_fallback", false))
    model.byteTokens = byteTokensOf(words);
  model.merges = storage.keep(
      mergeTable(merges, words, model.continuing, TwoMerges::Last));
  return model;
}

/// Scores stay in double: their last bits can decide between two segmentations
/// (JsonNumber.h).
static runtime::Unigram readUnigram(const json &settings,
                                    const Vocabulary &words,
                                    std::vector<double> scores,
                                    Storage &storage) {
  runtime::Unigram model;
  checkTokenLengths(words);
  if (scores.empty())
    fail("the vocabulary of the unigram model is not a list of tokens with "
         "scores");
  const json &id = stage(settings, "unk_id");
  if (!id.is_null()) {
    model.unknown = idOf(id);
    if (static_cast<size_t>(*model.unknown) >= scores.size())
      fail("the unknown token {} is not in the vocabulary", *model.unknown);
  }
  model.unknownScore = unknownScoreOf(scores);
  model.scores = storage.keep(std::move(scores));
  if (flag(settings, "byte_fallback", false))
    model.byteTokens = byteTokensOf(words);
  return model;
}

/// The unknown token may be absent from the vocabulary.
static runtime::WordLevel readWordLevel(const json &settings,
                                        const Vocabulary &words) {
  return {words.find(textOr(settings, "unk_token", "<unk>"))};
}

/// The "type" of the model. Files of older versions of the library lack it:
/// then, as in the library, it is the first kind whose keys are all present.
static std::string kindOf(const TokenizerFile &file, const json &settings) {
  if (!settings.is_object() || settings.contains("type"))
    return typeOf(settings);
  auto has = [&](const char *key) { return settings.contains(key); };
  if (file.hasMerges)
    return "BPE";
  if (!file.scores.empty())
    return "Unigram";
  if (has("unk_token") && has("continuing_subword_prefix") &&
      has("max_input_chars_per_word"))
    return "WordPiece";
  if (has("unk_token"))
    return "WordLevel";
  fail("the model has no \"type\", and its keys are those of no kind that is "
       "known; save the tokenizer again with a newer version of `tokenizers`");
}

runtime::Model readModel(TokenizerFile &file, const Vocabulary &words,
                         Storage &storage) {
  const json &settings = stage(file.settings, "model");
  const std::string type = kindOf(file, settings);
  if (type == "WordPiece")
    return readWordPiece(settings, words);
  if (type == "BPE")
    return readBytePairs(settings, words, file.merges, storage);
  if (type == "Unigram")
    return readUnigram(settings, words, std::move(file.scores), storage);
  if (type == "WordLevel")
    return readWordLevel(settings, words);
  unknownKind("model", type, "WordPiece, BPE, Unigram, WordLevel");
}

} // namespace transfold::tokenizer
