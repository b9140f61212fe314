// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the stages of a tokenizer.json from their settings, which are null if a
// file has no such stage. Each function throws Error, or an exception
// of the JSON library, which readTokenizerJson converts to one.

#pragma once

#include "compiler/tokenizer/Storage.h"
#include "compiler/tokenizer/json/TokenizerFile.h"
#include "runtime/tokenizer/Description.h"

#include <nlohmann/json.hpp>

namespace transfold::tokenizer {

/// Reads the steps that normalize a text.
runtime::Normalizer readNormalizer(const nlohmann::json &settings,
                                   Storage &storage);
/// Reads the steps that split a text into words.
runtime::PreTokenizer readPreTokenizer(const nlohmann::json &settings);
/// Reads the templates of the tokens around a text.
runtime::PostProcessor readPostProcessor(const nlohmann::json &settings);
/// Reads the steps that convert tokens to a text.
runtime::Decoder readDecoder(const nlohmann::json &settings);
/// Reads the model of a file, and moves the scores out of `file`.
runtime::Model readModel(TokenizerFile &file, const runtime::Vocabulary &words,
                         Storage &storage);

/// Reads a pattern: {"String": …} or {"Regex": …}.
runtime::Pattern readPattern(const nlohmann::json &settings);

} // namespace transfold::tokenizer
