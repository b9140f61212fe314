// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/SchemaDocument.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::inline constrain {

SchemaDocument::SchemaDocument(const SchemaJson &document,
                               ConstraintBudget &budget)
    : budget(budget) {
  add(document, 0, "#");
}

SubschemaId SchemaDocument::add(const SchemaJson &value, SubschemaId parent,
                                std::string step) {
  auto [found, isNew] =
      numbers.try_emplace(&value, static_cast<SubschemaId>(all.size()));
  if (isNew) {
    budget.work();
    budget.memory(sizeof(Subschema) + step.size() + 48);
    all.push_back({&value, parent, std::move(step)});
  }
  return found->second;
}

/// A name as a step of a pointer.
static std::string escaped(std::string_view name) {
  std::string result;
  for (char letter : name)
    if (letter == '~')
      result += "~0";
    else if (letter == '/')
      result += "~1";
    else
      result += letter;
  return result;
}

std::string SchemaDocument::pointer(SubschemaId id) const {
  std::string result;
  for (; id != 0; id = all[id].parent)
    result.insert(0, "/" + all[id].step);
  return "#" + result;
}

SubschemaId SchemaDocument::child(SubschemaId id, const char *keyword) {
  return add(value(id).at(keyword), id, keyword);
}

SubschemaId SchemaDocument::child(SubschemaId id, const char *keyword,
                                  std::string_view name) {
  return add(value(id).at(keyword).at(std::string(name)), id,
             fmt::format("{}/{}", keyword, escaped(name)));
}

SubschemaId SchemaDocument::child(SubschemaId id, const char *keyword,
                                  size_t index) {
  return add(value(id).at(keyword).at(index), id,
             fmt::format("{}/{}", keyword, index));
}

void SchemaDocument::refuse(SubschemaId id, std::string_view keyword,
                            std::string_view why) const {
  constexpr size_t shownBytes = 200;
  std::string place = pointer(id);
  if (place.size() > shownBytes)
    place = place.substr(0, shownBytes) + "…";
  if (keyword.empty())
    fail("the schema at '{}' {}", place, why);
  fail("the schema's '{}' at '{}' {}", keyword.substr(0, shownBytes), place,
       why);
}

const SchemaJson *SchemaDocument::find(SubschemaId id,
                                       const char *keyword) const {
  const SchemaJson &schema = value(id);
  if (!schema.is_object())
    return nullptr;
  auto found = schema.find(keyword);
  return found == schema.end() ? nullptr : &*found;
}

std::optional<uint32_t> SchemaDocument::count(SubschemaId id,
                                              const char *keyword) const {
  constexpr double most = 1e9;
  const SchemaJson *given = find(id, keyword);
  if (!given)
    return std::nullopt;
  const double number = given->is_number() ? given->get<double>() : -1;
  if (!(number >= 0) || std::floor(number) != number)
    refuse(id, keyword, "must be an integer from 0");
  return static_cast<uint32_t>(std::min(number, most));
}

const SchemaJson *SchemaDocument::list(SubschemaId id,
                                       const char *keyword) const {
  const SchemaJson *given = find(id, keyword);
  if (given && !given->is_array())
    refuse(id, keyword, "must be a list");
  return given;
}

const SchemaJson *SchemaDocument::object(SubschemaId id,
                                         const char *keyword) const {
  const SchemaJson *given = find(id, keyword);
  if (given && !given->is_object())
    refuse(id, keyword, "must be an object");
  return given;
}

const std::string *SchemaDocument::text(SubschemaId id,
                                        const char *keyword) const {
  const SchemaJson *given = find(id, keyword);
  if (given && !given->is_string())
    refuse(id, keyword, "must be a string");
  return given ? given->get_ptr<const std::string *>() : nullptr;
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

/// The bytes of "%41".
static std::string percentDecoded(std::string_view text) {
  std::string result;
  auto digit = [](char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
           : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                            : -1;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      result += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// A step of a pointer as a name.
static std::string unescaped(std::string_view step) {
  std::string result;
  for (size_t i = 0; i < step.size(); ++i) {
    const bool isEscape = step[i] == '~' && i + 1 < step.size() &&
                          (step[i + 1] == '0' || step[i + 1] == '1');
    if (isEscape)
      result += step[++i] == '0' ? '~' : '/';
    else
      result += step[i];
  }
  return result;
}

SubschemaId SchemaDocument::follow(SubschemaId id, std::string_view pointer) {
  const SchemaJson *at = &value(root());
  const std::string_view whole = pointer;
  while (!pointer.empty()) {
    budget.work(4);
    pointer.remove_prefix(1); // the slash
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    const SchemaJson *next = nullptr;
    if (at->is_object()) {
      auto found = at->find(unescaped(step));
      if (found != at->end())
        next = &*found;
    } else if (at->is_array() && !step.empty() && step.size() < 7 &&
               step.find_first_not_of("0123456789") == step.npos) {
      const size_t index = std::stoul(std::string(step));
      if (index < at->size())
        next = &(*at)[index];
    }
    if (!next)
      refuse(id, "$ref",
             fmt::format("refers to '#{}', which does not exist", whole));
    at = next;
  }
  if (at == &value(root()))
    return root();
  return add(*at, root(), std::string(whole.substr(1)));
}

SubschemaId SchemaDocument::referred(SubschemaId id) {
  const std::string &reference = *text(id, "$ref");
  std::string_view rest = reference;
  // The document may be named by its own address.
  if (const SchemaJson *own = find(root(), "$id"); own && own->is_string()) {
    std::string_view base = own->get_ref<const std::string &>();
    base = base.substr(0, base.find('#'));
    if (!base.empty() && rest.starts_with(base))
      rest.remove_prefix(base.size());
  }
  if (!rest.starts_with('#') || (rest.size() > 1 && rest[1] != '/'))
    refuse(id, "$ref",
           "is not supported: references can be '#' or '#/…', to a part of the "
           "same schema");
  // Below another "$id", '#' would be another schema.
  for (SubschemaId at = id; at != root(); at = all[at].parent)
    if (const SchemaJson *other = find(at, "$id");
        other && other->is_string() &&
        !other->get_ref<const std::string &>().starts_with('#'))
      refuse(at, "$id", "is not supported with references inside");
  return follow(id, percentDecoded(rest.substr(1)));
}

//===----------------------------------------------------------------------===//
// Keywords
//===----------------------------------------------------------------------===//

bool isAnnotation(std::string_view keyword) {
  static constexpr std::string_view all[] = {
      "$anchor",         "$comment",
      "$defs",           "$id",
      "$schema",         "$vocabulary",
      "contentEncoding", "contentMediaType",
      "contentSchema",   "default",
      "definitions",     "deprecated",
      "description",     "discriminator",
      "example",         "examples",
      "externalDocs",    "id",
      "readOnly",        "title",
      "writeOnly",       "xml"};
  // Extensions are named "x-…".
  return keyword.starts_with("x-") ||
         std::ranges::find(all, keyword) != std::end(all);
}

bool isSupportedKeyword(std::string_view keyword) {
  static constexpr std::string_view all[] = {"$ref",
                                             "additionalItems",
                                             "additionalProperties",
                                             "allOf",
                                             "anyOf",
                                             "const",
                                             "enum",
                                             "exclusiveMaximum",
                                             "exclusiveMinimum",
                                             "format",
                                             "items",
                                             "maxItems",
                                             "maxLength",
                                             "maxProperties",
                                             "maximum",
                                             "minItems",
                                             "minLength",
                                             "minProperties",
                                             "minimum",
                                             "multipleOf",
                                             "oneOf",
                                             "pattern",
                                             "patternProperties",
                                             "prefixItems",
                                             "properties",
                                             "propertyNames",
                                             "required",
                                             "type",
                                             "uniqueItems"};
  return std::ranges::find(all, keyword) != std::end(all);
}

void SchemaDocument::checkKeywords(SubschemaId id) {
  if (all[id].isChecked)
    return;
  all[id].isChecked = true;
  for (const auto &[keyword, unused] : value(id).items()) {
    budget.work(20);
    if (!isSupportedKeyword(keyword) && !isAnnotation(keyword))
      refuse(id, keyword, "is not supported");
  }
}

} // namespace transfold::runtime::inline constrain
