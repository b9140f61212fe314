// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/AllowedValues.h"

#include "runtime/constrain/automaton/JsonString.h"
#include "runtime/constrain/schema/NumberRules.h"
#include "runtime/constrain/schema/StringRules.h"
#include "runtime/constrain/schema/ValueTypes.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

namespace {

using Values = std::vector<const SchemaJson *>;

/// The values that one subschema lists.
std::optional<Values> listedIn(const SchemaDocument &document, SubschemaId id,
                               ConstraintBudget &budget) {
  std::optional<Values> result;
  if (const SchemaJson *list = document.list(id, "enum")) {
    result.emplace();
    for (const SchemaJson &value : *list)
      result->push_back(&value);
    budget.work(list->size());
  }
  if (const SchemaJson *value = document.find(id, "const")) {
    const bool isListed =
        !result || std::ranges::any_of(*result, [&](const SchemaJson *each) {
          return *each == *value;
        });
    result.emplace();
    if (isListed)
      result->push_back(value);
  }
  return result;
}

/// Listed values are compared with conditions only if that is simple.
void refuseConditionsOfParts(const SchemaDocument &document,
                             const Conjunction &all, ValueType type) {
  static constexpr const char *ofArrays[] = {"items",           "prefixItems",
                                             "additionalItems", "minItems",
                                             "maxItems",        "uniqueItems"},
                              *ofObjects[] = {
                                  "properties",           "required",
                                  "additionalProperties", "minProperties",
                                  "maxProperties",        "patternProperties",
                                  "propertyNames"};
  const std::span<const char *const> keywords =
      type == arrayType ? std::span<const char *const>(ofArrays) : ofObjects;
  for (SubschemaId id : all)
    for (const char *keyword : keywords)
      if (document.find(id, keyword))
        document.refuse(id, keyword,
                        "is not supported beside listed lists or objects");
}

} // namespace

bool satisfies(const SchemaDocument &document, const Conjunction &all,
               const SchemaJson &value, ConstraintBudget &budget) {
  const ValueType type = typeOf(value);
  if (!(typesOf(document, all) & type))
    return false;
  if (type == integerType || type == fractionType)
    return NumberRules(document, all).admits(value);
  if (type == stringType)
    return StringRules(document, all)
        .admits(value.get_ref<const std::string &>(), budget);
  if (type == arrayType || type == objectType)
    refuseConditionsOfParts(document, all, type);
  return true;
}

std::optional<Values> allowedValues(const SchemaDocument &document,
                                    const Conjunction &all,
                                    ConstraintBudget &budget) {
  std::optional<Values> result;
  for (SubschemaId id : all) {
    auto mine = listedIn(document, id, budget);
    if (!mine)
      continue;
    if (result)
      std::erase_if(*result, [&](const SchemaJson *value) {
        budget.work(1 + mine->size());
        return std::ranges::none_of(
            *mine, [&](const SchemaJson *each) { return *each == *value; });
      });
    else
      result = std::move(mine);
  }
  if (result)
    std::erase_if(*result, [&](const SchemaJson *value) {
      budget.work(10);
      return !satisfies(document, all, *value, budget);
    });
  return result;
}

std::string textOfValue(const SchemaJson &value) {
  if (value.is_string())
    return "\"" + jsonText(value.get_ref<const std::string &>()) + "\"";
  if (!value.is_structured())
    return value.dump();
  std::string result;
  for (const auto &[name, each] : value.items()) {
    if (!result.empty())
      result += ',';
    if (value.is_object())
      result += "\"" + jsonText(name) + "\":";
    result += textOfValue(each);
  }
  return value.is_object() ? "{" + result + "}" : "[" + result + "]";
}

} // namespace transfold::runtime::inline constrain
