// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The byte pairs of SentencePiece, which merge the pair whose whole has the
// highest score.

#include "compiler/tokenizer/Merges.h"
#include "compiler/tokenizer/gguf/Common.h"
#include "compiler/tokenizer/gguf/Kinds.h"

namespace transfold::tokenizer {

using checkpoint::GgufTokenizer;
using runtime::Description;

Description readScoredPairs(const GgufTokenizer &source, Storage &storage) {
  TokenList tokens(source);
  Description description = tokens.describe(storage);
  bool prefixed = source.addSpacePrefix.value_or(true);
  if (prefixed)
    description.normalizer.steps.push_back(runtime::PrependText{{spaceMark}});
  description.normalizer.steps.push_back(spacesAsMarks());
  runtime::ScoredPairs model;
  model.scores = storage.keep(tokens.scores());
  model.byteTokens = byteTokensOf(description.vocabulary);
  model.unknown = tokens.id(source.unknown, 0);
  description.model = model;
  description.postProcessor = aroundTexts(source, tokens, {1, 2, true, false});
  decodeMarkedSpaces(description, prefixed);
  return description;
}

} // namespace transfold::tokenizer
