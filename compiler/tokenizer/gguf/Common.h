// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that several kinds of tokenizers of GGUF files share.

#pragma once

#include "compiler/tokenizer/gguf/TokenList.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace transfold::tokenizer {

/// The token that a flag requires; empty if it is not `wanted`. Throws
/// Error, which names `flag` and `key`, if the token is missing.
std::vector<int32_t> idIf(bool wanted, const char *flag,
                          std::optional<int32_t> id, const char *key);

/// The special tokens that llama.cpp assumes for a kind of tokenizer if the
/// file does not state them.
struct Defaults {
  std::optional<uint32_t> bos, eos;
  bool addBos, addEos;
};

/// The tokens that are added around a text. For pairs of texts, they are only
/// defined by files that add separators. Throws Error.
runtime::PostProcessor aroundTexts(const checkpoint::GgufTokenizer &source,
                                   const TokenList &tokens,
                                   const Defaults &defaults);

/// U+2581 in UTF-8, which SentencePiece writes for a space.
constexpr const char *writtenSpace = "\u2581";

/// Replaces each space by its mark.
runtime::ReplaceMatches spacesAsMarks();
/// Sets up the decoder: marks become spaces, then byte tokens become bytes.
/// `prefixed`: the first space is dropped, because the encoder added it.
void decodeMarkedSpaces(runtime::Description &description, bool prefixed);

} // namespace transfold::tokenizer
