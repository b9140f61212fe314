// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/ObjectRules.h"

#include "runtime/constrain/automaton/JsonString.h"
#include "runtime/constrain/schema/StringRules.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

ObjectRules::ObjectRules(SchemaDocument &document, const Conjunction &all,
                         ConstraintBudget &budget)
    : document(document), budget(budget) {
  std::unordered_set<std::string_view> known;
  for (SubschemaId id : all)
    read(id, known);
  for (SubschemaId id : all)
    readRequired(id);
}

void ObjectRules::read(SubschemaId id,
                       std::unordered_set<std::string_view> &known) {
  Part part = {.id = id, .properties = {}, .patterns = {}, .rest = {}};
  if (const SchemaJson *list = document.object(id, "properties"))
    for (const auto &[name, unused] : list->items()) {
      budget.work(20);
      part.properties.insert(name);
      if (known.insert(name).second)
        ordered.push_back(name);
    }
  if (const SchemaJson *list = document.object(id, "patternProperties"))
    for (const auto &[regex, unused] : list->items())
      part.patterns.push_back(
          {patternTexts(document, id, "patternProperties", regex, budget),
           document.child(id, "patternProperties", regex)});
  if (document.find(id, "additionalProperties"))
    part.rest = document.child(id, "additionalProperties");
  if (document.find(id, "propertyNames"))
    ofNames.push_back(document.child(id, "propertyNames"));
  if (auto count = document.count(id, "minProperties"); count > fewest) {
    fewest = *count;
    leastAt = id;
  }
  if (auto count = document.count(id, "maxProperties"))
    largest = std::min(largest, *count);
  parts.push_back(std::move(part));
}

void ObjectRules::readRequired(SubschemaId id) {
  const SchemaJson *list = document.list(id, "required");
  if (!list)
    return;
  for (const SchemaJson &name : *list) {
    if (!name.is_string())
      document.refuse(id, "required", "must be a list of names");
    budget.work(10);
    const std::string &text = name.get_ref<const std::string &>();
    if (!required.insert(text).second)
      continue;
    const bool hasSchema = std::ranges::any_of(parts, [&](const Part &part) {
      return part.properties.contains(text);
    });
    if (!hasSchema)
      ordered.push_back(text);
  }
}

std::vector<SubschemaId> ObjectRules::goalOf(const std::string &name) const {
  std::vector<SubschemaId> goal;
  const std::string text = jsonText(name);
  for (const Part &part : parts) {
    budget.work(10 + part.patterns.size() * text.size());
    bool isKnown = part.properties.contains(name);
    if (isKnown) {
      budget.work(part.properties.size() / 8);
      goal.push_back(document.child(part.id, "properties", name));
    }
    for (const PatternGoal &pattern : part.patterns)
      if (pattern.names.matches(text)) {
        isKnown = true;
        goal.push_back(pattern.goal);
      }
    if (!isKnown && part.rest)
      goal.push_back(*part.rest);
  }
  return goal;
}

bool ObjectRules::isClosed() const {
  return std::ranges::any_of(parts, [&](const Part &part) {
    return part.patterns.empty() && part.rest &&
           document.value(*part.rest) == false;
  });
}

std::vector<ObjectRules::Others> ObjectRules::others(const Dfa &any) const {
  if (isClosed())
    return {};
  std::vector<std::string> texts;
  for (const std::string &name : ordered)
    texts.push_back(jsonText(name));
  const Dfa names = Dfa::ofTexts(std::move(texts), budget);
  std::vector<Others> kinds = {{Dfa::subtract(any, names, budget), {}}};
  for (const Part &part : parts) {
    // The kinds that no pattern of this part matches.
    std::vector<bool> isRest(kinds.size(), true);
    for (const PatternGoal &pattern : part.patterns) {
      std::vector<Others> split;
      std::vector<bool> isSplitRest;
      for (size_t i = 0; i < kinds.size(); ++i) {
        Others matched = {Dfa::intersect(kinds[i].names, pattern.names, budget),
                          kinds[i].goal},
               rest = {Dfa::subtract(kinds[i].names, pattern.names, budget),
                       std::move(kinds[i].goal)};
        matched.goal.push_back(pattern.goal);
        if (!matched.names.isEmpty()) {
          split.push_back(std::move(matched));
          isSplitRest.push_back(false);
        }
        if (!rest.names.isEmpty()) {
          split.push_back(std::move(rest));
          isSplitRest.push_back(isRest[i]);
        }
      }
      kinds = std::move(split);
      isRest = std::move(isSplitRest);
    }
    for (size_t i = 0; i < kinds.size(); ++i)
      if (isRest[i] && part.rest)
        kinds[i].goal.push_back(*part.rest);
  }
  std::erase_if(kinds, [](const Others &kind) { return kind.names.isEmpty(); });
  return kinds;
}

} // namespace transfold::runtime::inline constrain
