// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kinds of tokenizers in GGUF files share: the tokens around texts,
// and spaces that are written as U+2581.

#include "compiler/tokenizer/gguf/Common.h"

#include "base/Error.h"
#include "compiler/tokenizer/pattern/PatternParser.h"

namespace transfold::tokenizer {

using checkpoint::GgufTokenizer;
using runtime::Description;
using Ids = std::vector<int32_t>;

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

runtime::ReplaceMatches spacesAsMarks() { return {literal(" "), {spaceMark}}; }

void decodeMarkedSpaces(Description &description, bool prefixed) {
  description.decoder.emplace();
  description.decoder->steps = {
      runtime::ReplaceInTokens{literal(writtenSpace), " "},
      runtime::ReadByteTokens{}};
  description.dropsFirstSpace = prefixed;
}

} // namespace transfold::tokenizer
