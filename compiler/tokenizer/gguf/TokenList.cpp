// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the lists of tokens, and fills the tables that all kinds have in
// common.

#include "compiler/tokenizer/gguf/TokenList.h"

#include "base/Error.h"
#include "compiler/tokenizer/AddedTokensBuilder.h"
#include "compiler/tokenizer/VocabularyBuilder.h"
#include "runtime/tokenizer/tables/Growth.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace transfold::tokenizer {

/// Whether a token ends the generation. These are control tokens even in files
/// that do not mark them as such; llama.cpp has the same list.
static bool endsGeneration(const std::string &text) {
  static const std::unordered_set<std::string> ends = {"<|eot_id|>",
                                                       "<|im_end|>",
                                                       "<|end|>",
                                                       "<|return|>",
                                                       "<|call|>",
                                                       "<|flush|>",
                                                       "<|calls|>",
                                                       "<end_of_turn>",
                                                       "<|endoftext|>",
                                                       "</s>",
                                                       "<|eom_id|>",
                                                       "<EOT>",
                                                       "_<EOT>",
                                                       "[EOT]",
                                                       "[EOS]",
                                                       "<|end_of_text|>",
                                                       "<eos>",
                                                       "<end_of_utterance>",
                                                       "<turn|>",
                                                       "<|tool_response>",
                                                       "<｜end▁of▁sentence｜>"};
  return ends.contains(text);
}

TokenList::TokenList(const checkpoint::GgufTokenizer &source)
    : texts(source.tokens), allScores(source.scores) {
  if (texts.empty())
    fail("tokenizer.ggml.tokens is missing; convert the model again");
  if (texts.size() > INT32_MAX)
    fail("tokenizer.ggml.tokens has more than {} tokens", INT32_MAX);
  auto sameLength = [&](const char *name, size_t size) {
    if (size != 0 && size < texts.size())
      fail("tokenizer.ggml.{} has {} entries for {} tokens; convert the model "
           "again",
           name, size, texts.size());
  };
  sameLength("scores", source.scores.size());
  sameLength("token_type", source.tokenTypes.size());
  allScores.resize(texts.size());
  if (std::ranges::any_of(allScores, [](float s) { return std::isnan(s); }))
    fail("tokenizer.ggml.scores has a score that is NaN");
  types.resize(texts.size(), Type::Normal);
  size_t bytes = 0;
  for (size_t id = 0; id < texts.size(); ++id) {
    if (texts[id].empty())
      texts[id] = fmt::format("[EMPTY_{}]", id);
    if (!source.tokenTypes.empty())
      types[id] = static_cast<Type>(source.tokenTypes[id]);
    if (repairUtf8(texts[id]) != texts[id])
      fail("the token {} is not valid UTF-8; convert the model again", id);
    if (endsGeneration(texts[id]))
      types[id] = Type::Control;
    bytes += texts[id].size();
  }
  if (bytes > UINT32_MAX)
    fail("tokenizer.ggml.tokens is larger than 4 GB");
}

std::optional<int32_t> TokenList::id(const std::optional<uint32_t> &given,
                                     std::optional<uint32_t> otherwise) const {
  for (std::optional<uint32_t> each : {given, otherwise})
    if (each && *each < size())
      return static_cast<int32_t>(*each);
  return std::nullopt;
}

runtime::Description TokenList::describe(
    Storage &storage,
    const std::function<std::string(const std::string &)> &spelling) const {
  runtime::Description description;
  VocabularyBuilder words;
  AddedTokensBuilder found;
  AddedTextsBuilder added;
  std::unordered_set<std::string_view> specials;
  auto once = [](bool first, const std::string &text) {
    if (!first)
      fail("the token '{}' occurs twice; convert the model again", text);
  };
  for (size_t at = 0; at < size(); ++at) {
    auto id = static_cast<int32_t>(at);
    bool special = isSpecial(at);
    if (special)
      once(specials.insert(texts[at]).second, texts[at]);
    else
      once(words.insert(spelling ? spelling(texts[at]) : texts[at], id),
           texts[at]);
    if (special || types[at] == Type::UserDefined)
      found.add(decodeUtf8(texts[at]), {id, special, 0, 0, 0});
    // Unused tokens are not displayed either.
    if (special || types[at] == Type::UserDefined || types[at] == Type::Unused)
      added.add(id, texts[at], special || types[at] == Type::Unused);
  }
  description.vocabulary = words.finish(storage);
  description.rawTokens = found.finish(storage);
  description.rawTokens.longestFirst = true;
  description.added = added.finish(storage);
  description.addedAreText = true;
  return description;
}

} // namespace transfold::tokenizer
