// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several kinds of tokenizers of GGUF files have in common.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_GGUF_COMMON_H
#define TRANSFOLD_COMPILER_TOKENIZER_GGUF_COMMON_H

#include "compiler/tokenizer/gguf/TokenList.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace transfold::tokenizer {

/// The token that a flag asks for, or nothing. `flag` and `key` are for the
/// message where there is none. Throws runtime::Error.
std::vector<int32_t> idIf(bool wanted, const char *flag,
                          std::optional<int32_t> id, const char *key);

/// Where a file does not say which tokens are special, llama.cpp knows it by
/// the kind of tokenizer.
struct Defaults {
  std::optional<uint32_t> bos, eos;
  bool addBos, addEos;
};

/// What is put around a text. How two texts are put together is not said,
/// except where there are tokens between them. Throws runtime::Error.
runtime::PostProcessor aroundTexts(const checkpoint::GgufTokenizer &source,
                                   const TokenList &tokens,
                                   const Defaults &defaults);

/// How SentencePiece writes a space, in UTF-8.
constexpr const char *writtenSpace = "\u2581";

/// Each space becomes its mark.
runtime::ReplaceMatches spacesAsMarks();
/// Bytes, then marks as spaces; `prefixed`: texts begin with a space that was
/// put there.
void decodeMarkedSpaces(runtime::Description &description, bool prefixed);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_GGUF_COMMON_H
