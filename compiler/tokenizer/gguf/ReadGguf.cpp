// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tokenizer/gguf/ReadGguf.h"

#include "compiler/tokenizer/CheckModel.h"
#include "compiler/tokenizer/Merges.h"
#include "compiler/tokenizer/PatternParser.h"
#include "compiler/tokenizer/ReadCharacterMap.h"
#include "compiler/tokenizer/gguf/PreTokenizers.h"
#include "compiler/tokenizer/gguf/TokenList.h"
#include "runtime/Error.h"

#include <limits>

namespace transfold::tokenizer {

using checkpoint::GgufTokenizer;
using runtime::Description;
using runtime::fail;

namespace {

using Ids = std::vector<int32_t>;

const char *const writtenSpace = "\u2581";

/// The token that a flag asks for, or nothing.
Ids idIf(bool wanted, const char *flag, std::optional<int32_t> id,
         const char *key) {
  if (!wanted)
    return {};
  if (!id)
    fail("tokenizer.ggml.{} is true, but there is no token "
         "tokenizer.ggml.{}; convert the model again",
         flag, key);
  return {*id};
}

/// Where a file does not say which tokens are special, llama.cpp knows it by
/// the kind of tokenizer.
struct Defaults {
  std::optional<uint32_t> bos, eos;
  bool addBos, addEos;
};

/// What is put around a text. How two texts are put together is not said,
/// except where there are tokens between them.
runtime::PostProcessor aroundTexts(const GgufTokenizer &source,
                                   const TokenList &tokens,
                                   const Defaults &defaults) {
  Ids bos = idIf(source.addBos.value_or(defaults.addBos), "add_bos_token",
                 tokens.id(source.bos, defaults.bos), "bos_token_id");
  Ids eos = idIf(source.addEos.value_or(defaults.addEos), "add_eos_token",
                 tokens.id(source.eos, defaults.eos), "eos_token_id");
  Ids sep =
      idIf(source.addSep.value_or(false), "add_sep_token",
           tokens.id(source.separator, std::nullopt), "seperator_token_id");
  runtime::PostProcessor around;
  around.single = {{-1, 0, bos}, {0, 0, {}}, {-1, 0, eos}};
  around.pair = around.single;
  if (!sep.empty()) {
    around.pair.push_back({-1, 0, sep});
    around.pair.push_back({1, 0, {}});
    around.pair.push_back({-1, 0, eos});
  }
  return around;
}

runtime::ReplaceMatches spacesAsMarks() {
  return {literal(" "), {runtime::spaceMark}};
}

/// Bytes, then marks as spaces; `prefixed`: text begins with a space that was
/// put there.
void decodeMarkedSpaces(Description &description, bool prefixed) {
  description.decoder.emplace();
  description.decoder->steps = {
      runtime::ReplaceInTokens{literal(writtenSpace), " "},
      runtime::ReadByteTokens{}};
  description.dropsFirstSpace = prefixed;
}

/// SentencePiece's byte pairs: "llama".
Description readScoredPairs(const GgufTokenizer &source, Storage &storage) {
  TokenList tokens(source);
  Description description;
  tokens.describe(description, storage);
  bool prefixed = source.addSpacePrefix.value_or(true);
  if (prefixed)
    description.normalizer.steps.push_back(
        runtime::PrependText{{runtime::spaceMark}});
  description.normalizer.steps.push_back(spacesAsMarks());
  runtime::ScoredPairs model;
  model.scores = storage.keep(tokens.scores());
  model.byteTokens = byteTokensOf(description.vocabulary);
  model.unknown = tokens.id(source.unknown, 0);
  description.model = std::move(model);
  description.postProcessor = aroundTexts(source, tokens, {1, 2, true, false});
  decodeMarkedSpaces(description, prefixed);
  return description;
}

Merges mergesOf(const GgufTokenizer &source) {
  Merges merges;
  for (const std::string &merge : source.merges) {
    size_t space = merge.find(' ', 1);
    if (space == merge.npos)
      fail("tokenizer.ggml.merges: '{}' is not a pair of tokens", merge);
    merges.add(std::string_view(merge).substr(0, space),
               std::string_view(merge).substr(space + 1));
  }
  return merges;
}

/// Byte pairs with merges, mostly over bytes: "gpt2", "gemma4".
Description readBytePairs(const GgufTokenizer &source, Storage &storage) {
  NamedPreTokenizer named =
      preTokenizerNamed(source.model == "gemma4" ? "gemma4" : source.pre);
  TokenList tokens(source);
  Description description;
  tokens.describe(description, storage);
  for (const char *expression : named.expressions)
    description.preTokenizer.steps.push_back(runtime::CutAtMatches{
        regex(expression), runtime::Cuts::Isolated, false});
  runtime::BytePairs model;
  model.wholeWords = named.wholeWords;
  model.keepGaps = true;
  model.merges = storage.keep(mergeTable(
      mergesOf(source), description.vocabulary, "", TwoMerges::First));
  if (named.bytes) {
    description.preTokenizer.steps.push_back(
        runtime::CutIntoBytes{std::nullopt, false});
    description.decoder.emplace();
    description.decoder->steps = {runtime::ReadBytes{}};
  } else {
    description.normalizer.steps.push_back(spacesAsMarks());
    model.byteTokens = byteTokensOf(description.vocabulary);
    decodeMarkedSpaces(description, false);
  }
  description.model = std::move(model);
  description.postProcessor =
      aroundTexts(source, tokens, {11, 11, named.addBos, false});
  return description;
}

/// Files write words with a mark before them, and what continues a word as it
/// is. Ours are the other way around, as BERT's own files have them.
std::string wordPieceSpelling(const std::string &token) {
  if (token.starts_with('[') && token.ends_with(']'))
    return token;
  std::string_view mark = writtenSpace;
  return token.starts_with(mark) ? token.substr(mark.size()) : "##" + token;
}

/// WordPiece: "bert".
Description readWordPiece(const GgufTokenizer &source, Storage &storage) {
  TokenList tokens(source);
  Description description;
  tokens.describe(description, storage, wordPieceSpelling);
  checkTokenLengths(description.vocabulary);
  bool lowercase = source.lowercase.value_or(true);
  description.normalizer.steps = {runtime::BertNormalizer{
      true, true, source.stripAccents.value_or(lowercase), lowercase}};
  description.preTokenizer.steps = {runtime::CutAsBert{}};
  runtime::WordPiece model;
  model.continuing = "##";
  model.longestWord = std::numeric_limits<uint64_t>::max();
  model.unknown = idIf(true, "tokens", tokens.id(source.unknown, 100),
                       "unknown_token_id")[0];
  description.model = model;
  Ids first =
      idIf(true, "tokens", tokens.id(source.bos ? source.bos : source.cls, 101),
           "bos_token_id");
  Ids last = idIf(true, "tokens", tokens.id(source.separator, 102),
                  "seperator_token_id");
  description.postProcessor.single = {
      {-1, 0, first}, {0, 0, {}}, {-1, 0, last}};
  description.postProcessor.pair = {
      {-1, 0, first}, {0, 0, {}}, {-1, 0, last}, {1, 1, {}}, {-1, 1, last}};
  description.decoder.emplace();
  description.decoder->steps = {runtime::JoinWordPieces{"##", true}};
  // Its spaces stand beside added tokens too.
  description.addedAreText = false;
  return description;
}

/// SentencePiece's unigram model: "t5".
Description readUnigram(const GgufTokenizer &source, Storage &storage) {
  TokenList tokens(source);
  Description description;
  tokens.describe(description, storage);
  checkTokenLengths(description.vocabulary);
  bool prefixed = source.addSpacePrefix.value_or(false);
  runtime::CharacterMap map =
      readCharacterMap(source.precompiledCharsmap, storage);
  map.longest = true;
  description.normalizer.steps = {
      map, runtime::MarkSpaces{prefixed,
                               source.removeExtraWhitespaces.value_or(false)}};
  std::vector<double> scores(tokens.scores().begin(), tokens.scores().end());
  std::vector<double> normal;
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (tokens.type(id) == TokenList::Type::Normal)
      normal.push_back(scores[id]);
    else if (tokens.type(id) == TokenList::Type::UserDefined)
      scores[id] = 0;
    else if (tokens.type(id) == TokenList::Type::Byte)
      scores[id] = -std::numeric_limits<double>::infinity(); // never chosen
  }
  if (normal.empty())
    fail("the vocabulary of the unigram model has no ordinary tokens");
  runtime::Unigram model;
  model.unknown = tokens.id(source.unknown, 2);
  // In 32 bits, as llama.cpp has it.
  model.unknownScore = static_cast<float>(unknownScoreOf(normal));
  model.scores = storage.keep(std::move(scores));
  description.model = std::move(model);
  description.postProcessor =
      aroundTexts(source, tokens, {std::nullopt, 1, false, true});
  decodeMarkedSpaces(description, prefixed);
  return description;
}

} // namespace

Description readGgufTokenizer(const GgufTokenizer &source, Storage &storage) {
  if (source.model == "llama")
    return readScoredPairs(source, storage);
  if (source.model == "gpt2" || source.model == "gemma4")
    return readBytePairs(source, storage);
  if (source.model == "bert")
    return readWordPiece(source, storage);
  if (source.model == "t5")
    return readUnigram(source, storage);
  fail("the tokenizer '{}' (tokenizer.ggml.model) is not supported (known: "
       "bert, gemma4, gpt2, llama, t5); use the model's tokenizer.json, or "
       "`eval`, which takes ids instead of text",
       source.model);
}

} // namespace transfold::tokenizer
