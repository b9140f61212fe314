// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a tokenizer.json, read from their settings, which are null
// where a file has no such stage. Each throws runtime::Error, or an exception
// of the JSON library, which readTokenizerJson turns into one.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_JSON_STAGES_H
#define TRANSFOLD_COMPILER_TOKENIZER_JSON_STAGES_H

#include "compiler/tokenizer/Storage.h"
#include "compiler/tokenizer/json/TokenizerFile.h"
#include "runtime/tokenizer/Description.h"

#include <nlohmann/json.hpp>

namespace transfold::tokenizer {

runtime::Normalizer readNormalizer(const nlohmann::json &settings,
                                   Storage &storage);
runtime::PreTokenizer readPreTokenizer(const nlohmann::json &settings);
runtime::PostProcessor readPostProcessor(const nlohmann::json &settings);
runtime::Decoder readDecoder(const nlohmann::json &settings);
/// The model of a file, which loses its scores to it.
runtime::Model readModel(TokenizerFile &file, const runtime::Vocabulary &words,
                         Storage &storage);

/// {"String": …} or {"Regex": …}.
runtime::Pattern readPattern(const nlohmann::json &settings);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_JSON_STAGES_H
