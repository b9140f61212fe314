// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unigram model of SentencePiece, with the scores that llama.cpp gives
// tokens of each type.

#include "base/Error.h"
#include "compiler/tokenizer/CheckModel.h"
#include "compiler/tokenizer/ReadCharacterMap.h"
#include "compiler/tokenizer/gguf/Common.h"
#include "compiler/tokenizer/gguf/Kinds.h"

#include <limits>

namespace transfold::tokenizer {

using checkpoint::GgufTokenizer;
using runtime::Description;

Description readUnigram(const GgufTokenizer &source, Storage &storage) {
  TokenList tokens(source);
  Description description = tokens.describe(storage);
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
  // In 32 bits, as in llama.cpp.
  model.unknownScore = static_cast<float>(unknownScoreOf(normal));
  model.scores = storage.keep(std::move(scores));
  description.model = model;
  description.postProcessor =
      aroundTexts(source, tokens, {std::nullopt, 1, false, true});
  decodeMarkedSpaces(description, prefixed);
  return description;
}

} // namespace transfold::tokenizer
