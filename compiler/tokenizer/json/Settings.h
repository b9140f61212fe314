// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the settings of a tokenizer's stages. Each throws Error, or an
// exception of the JSON library, which the tokenizer turns into one.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_JSON_SETTINGS_H
#define TRANSFOLD_COMPILER_TOKENIZER_JSON_SETTINGS_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace transfold::tokenizer {

/// The settings of a stage; null where there is none.
const nlohmann::json &stage(const nlohmann::json &settings, const char *name);
/// What "type" says; empty for null.
std::string typeOf(const nlohmann::json &settings);
[[noreturn]] void unknownKind(const char *stage, const std::string &type,
                              const char *known);

/// A token's id.
int32_t idOf(const nlohmann::json &value);
/// A switch that may be missing or null.
bool flag(const nlohmann::json &settings, const char *name, bool otherwise);
/// A text that may be missing or null.
std::string textOr(const nlohmann::json &settings, const char *name,
                   std::string otherwise);
/// A whole number that is not negative.
size_t countOf(const nlohmann::json &value, const char *name);
/// What is put to characters of a word before they are looked up.
std::string affixOr(const nlohmann::json &settings, const char *name,
                    std::string otherwise);
/// The one character of a text.
char32_t characterOf(const nlohmann::json &value);
/// Characters of a text in the file.
std::u32string charactersOf(const std::string &text);

/// The steps of a stage: what a "Sequence" lists under `list`, which may be
/// sequences again, or `settings` itself where it is none; nothing for null.
std::vector<const nlohmann::json *> stepsOf(const nlohmann::json &settings,
                                            const char *list);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_JSON_SETTINGS_H
