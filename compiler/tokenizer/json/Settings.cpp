// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads values of settings, with messages that name them.

#include "compiler/tokenizer/json/Settings.h"

#include "base/Error.h"
#include "base/text/Unicode.h"
#include "runtime/tokenizer/tables/Growth.h"

namespace transfold::tokenizer {

using nlohmann::json;

const json &stage(const json &settings, const char *name) {
  static const json none;
  auto found = settings.find(name);
  return found == settings.end() ? none : *found;
}

std::string typeOf(const json &settings) {
  if (settings.is_null())
    return "";
  auto found = settings.is_object() ? settings.find("type") : settings.end();
  if (found == settings.end() || !found->is_string())
    fail("a stage has no text \"type\" that says what it is");
  return found->get<std::string>();
}

void unknownKind(const char *stage, const std::string &type,
                 const char *known) {
  fail("the {} '{}' is not supported (known: {}); `eval` takes "
       "ids instead of text",
       stage, type, known);
}

int32_t idOf(const json &value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT32_MAX)
    fail("an id is not a whole number from 0 to {}", INT32_MAX);
  return static_cast<int32_t>(value.get<uint64_t>());
}

size_t countOf(const json &value, const char *name) {
  if (!value.is_number_unsigned())
    fail("'{}' is not a whole number", name);
  return value.get<size_t>();
}

bool flag(const json &settings, const char *name, bool otherwise) {
  auto found = settings.find(name);
  if (found == settings.end() || found->is_null())
    return otherwise;
  if (!found->is_boolean())
    fail("'{}' is not true or false", name);
  return found->get<bool>();
}

std::string textOr(const json &settings, const char *name,
                   std::string otherwise) {
  auto found = settings.find(name);
  if (found == settings.end() || found->is_null())
    return otherwise;
  if (!found->is_string())
    fail("'{}' is not a text", name);
  return found->get<std::string>();
}

std::string affixOr(const json &settings, const char *name,
                    std::string otherwise) {
  std::string text = textOr(settings, name, std::move(otherwise));
  if (text.size() > runtime::mostAffixBytes)
    fail("'{}' has {} bytes; more than {} are not supported", name, text.size(),
         runtime::mostAffixBytes);
  return text;
}

/// Appends the steps of a stage. Sequences may be nested; the depth of the file
/// is bounded (TokenizerFile.cpp), and so is the number of steps here.
static void appendSteps(const json &settings, const char *list,
                        std::vector<const json *> &steps) {
  if (settings.is_null())
    return;
  if (typeOf(settings) == "Sequence") {
    for (const json &inner : settings.at(list))
      appendSteps(inner, list, steps);
    return;
  }
  steps.push_back(&settings);
  if (steps.size() > runtime::mostSteps)
    fail("'{}' lists more than {} steps", list, runtime::mostSteps);
}

std::vector<const json *> stepsOf(const json &settings, const char *list) {
  std::vector<const json *> steps;
  appendSteps(settings, list, steps);
  return steps;
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
    fail("{} is not one character", value.dump());
  return characters[0];
}

} // namespace transfold::tokenizer
