// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Settings.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Unicode.h"

namespace transfold::runtime {

using nlohmann::json;

const json &stage(const json &settings, const char *name) {
  static const json none;
  auto found = settings.find(name);
  return found == settings.end() ? none : *found;
}

std::string typeOf(const json &settings) {
  return settings.is_null() ? "" : settings.at("type").get<std::string>();
}

void unknownKind(const char *stage, const std::string &type,
                 const char *known) {
  fail("tokenizer.json: the {} '{}' is not supported (known: {}); `eval` takes "
       "ids instead of text",
       stage, type, known);
}

int32_t idOf(const json &value) {
  auto number = value.get<int64_t>();
  if (number < 0 || number > INT32_MAX)
    fail("tokenizer.json: {} is not an id", number);
  return static_cast<int32_t>(number);
}

bool flag(const json &settings, const char *name, bool otherwise) {
  auto found = settings.find(name);
  if (found == settings.end() || found->is_null())
    return otherwise;
  if (!found->is_boolean())
    fail("tokenizer.json: '{}' is not true or false", name);
  return found->get<bool>();
}

std::string textOr(const json &settings, const char *name,
                   std::string otherwise) {
  auto found = settings.find(name);
  if (found == settings.end() || found->is_null())
    return otherwise;
  if (!found->is_string())
    fail("tokenizer.json: '{}' is not a text", name);
  return found->get<std::string>();
}

std::u32string charactersOf(const std::string &text) {
  std::u32string characters;
  for (const Character &character : decodeUtf8(text))
    characters += character.code;
  return characters;
}

char32_t characterOf(const json &value) {
  std::u32string characters = charactersOf(value.get<std::string>());
  if (characters.size() != 1)
    fail("tokenizer.json: {} is not one character", value.dump());
  return characters[0];
}

} // namespace transfold::runtime
