// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte pairs with merges, as of GPT-2. The pre-tokenizer and a few settings
// follow from a name (PreTokenizers.h).

#include "base/Error.h"
#include "compiler/tokenizer/Merges.h"
#include "compiler/tokenizer/gguf/Common.h"
#include "compiler/tokenizer/gguf/Kinds.h"
#include "compiler/tokenizer/gguf/PreTokenizers.h"
#include "compiler/tokenizer/pattern/PatternParser.h"

namespace transfold::tokenizer {

using checkpoint::GgufTokenizer;
using runtime::Description;

/// The merges, split at their space. The search begins at the second byte,
/// because the left token may be a space itself.
static Merges mergesOf(const GgufTokenizer &source) {
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

/// Tokens are either bytes, written as visible characters, or texts with U+2581
/// for spaces and additional tokens for single bytes.
Description readBytePairs(const GgufTokenizer &source, Storage &storage) {
  NamedPreTokenizer named =
      preTokenizerNamed(source.model == "gemma4" ? "gemma4" : source.pre);
  TokenList tokens(source);
  Description description = tokens.describe(storage);
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

} // namespace transfold::tokenizer
