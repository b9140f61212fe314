// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the settings of a tokenizer's stages. Each function throws Error, or an
// exception of the JSON library, which readTokenizerJson converts to one.

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace transfold::tokenizer {

/// The settings of a stage; null if absent.
const nlohmann::json &stage(const nlohmann::json &settings, const char *name);
/// The value of "type"; empty for null.
std::string typeOf(const nlohmann::json &settings);
/// Throws Error for an unknown `type`; `known` lists the supported ones.
[[noreturn]] void unknownKind(const char *stage, const std::string &type,
                              const char *known);

/// The id of a token.
int32_t idOf(const nlohmann::json &value);
/// A flag that may be absent or null.
bool flag(const nlohmann::json &settings, const char *name, bool otherwise);
/// A text that may be absent or null.
std::string textOr(const nlohmann::json &settings, const char *name,
                   std::string otherwise);
/// A non-negative integer.
size_t countOf(const nlohmann::json &value, const char *name);
/// A prefix or suffix that is added to the characters of a word before they are
/// looked up.
std::string affixOr(const nlohmann::json &settings, const char *name,
                    std::string otherwise);
/// The only character of a text.
char32_t characterOf(const nlohmann::json &value);
/// The characters of a text in the file.
std::u32string charactersOf(const std::string &text);

/// The steps of a stage: the elements of a "Sequence" under `list`,
/// recursively, or `settings` itself if it is not a sequence; empty for null.
std::vector<const nlohmann::json *> stepsOf(const nlohmann::json &settings,
                                            const char *list);

} // namespace transfold::tokenizer
