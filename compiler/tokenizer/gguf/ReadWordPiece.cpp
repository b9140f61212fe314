// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WordPiece, with BERT's normalization and its tokens around texts. The numbers
// in the calls of `id` are the ids of these tokens if a file states none.

#include "compiler/tokenizer/CheckModel.h"
#include "compiler/tokenizer/gguf/Common.h"
#include "compiler/tokenizer/gguf/Kinds.h"

#include <limits>

namespace transfold::tokenizer {

using checkpoint::GgufTokenizer;
using runtime::Description;

/// GGUF files write beginnings of words with a mark in front, and continuations
/// without a prefix. Our vocabulary has plain beginnings and prefixed
/// continuations, as in BERT's own files.
static std::string wordPieceSpelling(const std::string &token) {
  if (token.starts_with('[') && token.ends_with(']'))
    return token;
  std::string_view mark = writtenSpace;
  return token.starts_with(mark) ? token.substr(mark.size()) : "##" + token;
}

Description readWordPiece(const GgufTokenizer &source, Storage &storage) {
  TokenList tokens(source);
  Description description = tokens.describe(storage, wordPieceSpelling);
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
  std::vector<int32_t> first =
      idIf(true, "tokens", tokens.id(source.bos ? source.bos : source.cls, 101),
           "bos_token_id");
  std::vector<int32_t> last = idIf(
      true, "tokens", tokens.id(source.separator, 102), "seperator_token_id");
  description.postProcessor.single = {
      {-1, 0, first}, {0, 0, {}}, {-1, 0, last}};
  description.postProcessor.pair = {
      {-1, 0, first}, {0, 0, {}}, {-1, 0, last}, {1, 1, {}}, {-1, 1, last}};
  description.decoder.emplace();
  description.decoder->steps = {runtime::JoinWordPieces{"##", true}};
  // The spaces of this decoder are also put beside added tokens.
  description.addedAreText = false;
  return description;
}

} // namespace transfold::tokenizer
