// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tokenizer/CheckModel.h"
#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"
#include "runtime/Error.h"

namespace transfold::tokenizer {

using nlohmann::json;
using runtime::fail;
using runtime::Vocabulary;

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

runtime::Model readModel(TokenizerFile &file, const Vocabulary &words,
                         Storage &storage) {
  const json &settings = stage(file.settings, "model");
  // Files of before 2021 do not name the kind.
  std::string type = settings.is_object() && !settings.contains("type") &&
                             file.merges.size() > 0
                         ? "BPE"
                         : typeOf(settings);
  if (type == "WordPiece")
    return readWordPiece(settings, words);
  if (type == "BPE")
    return readBytePairs(settings, words, file.merges, storage);
  if (type == "Unigram")
    return readUnigram(settings, words, std::move(file.scores), storage);
  unknownKind("model", type, "WordPiece, BPE, Unigram");
}

} // namespace transfold::tokenizer
