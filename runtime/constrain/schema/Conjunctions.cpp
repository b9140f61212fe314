// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/Conjunctions.h"

#include "runtime/constrain/schema/ValueTypes.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

namespace {

constexpr size_t longestChain = 200;      // chains of references
constexpr size_t mostAlternatives = 1024; // of one value

} // namespace

/// Adds a subschema and what it refers to. Returns false if no value satisfies
/// it.
bool Conjunctions::add(SubschemaId id, const Way *before, State &state,
                       size_t depth) {
  budget.work(4);
  const SchemaJson &schema = document.value(id);
  if (schema.is_boolean())
    return schema.get<bool>();
  if (!schema.is_object())
    document.refuse(id, "", "must be an object, true or false");
  for (const Way *way = before; way; way = way->before)
    if (way->id == id)
      document.refuse(id, "$ref", "refers to itself without a value between");
  if (depth > longestChain)
    document.refuse(id, "$ref", "is nested too deeply");
  if (std::ranges::find(state.all, id) != state.all.end())
    return true;
  document.checkKeywords(id);
  state.all.push_back(id);
  ways.push_back(std::make_unique<Way>(Way{id, before}));
  const Way *way = ways.back().get();
  for (const char *keyword : {"anyOf", "oneOf"})
    if (const SchemaJson *list = document.list(id, keyword)) {
      if (list->empty())
        document.refuse(id, keyword, "must not be empty");
      state.pending.push_back({id, keyword, way});
    }
  if (document.text(id, "$ref") &&
      !add(document.referred(id), way, state, depth + 1))
    return false;
  if (const SchemaJson *list = document.list(id, "allOf"))
    for (size_t i = 0; i < list->size(); ++i)
      if (!add(document.child(id, "allOf", i), way, state, depth + 1))
        return false;
  return true;
}

/// Proves that the alternatives of a "oneOf" exclude each other.
void Conjunctions::checkOneOf(const State &state, const Pending &one,
                              size_t depth) {
  const size_t count = document.list(one.id, one.keyword)->size();
  std::vector<std::vector<Conjunction>> of(count);
  for (size_t i = 0; i < count; ++i) {
    State branch = state;
    branch.pending.clear(); // fewer conditions: what is disjoint stays so
    if (add(document.child(one.id, one.keyword, i), one.way, branch, depth + 1))
      resolve(std::move(branch), of[i], depth + 1);
    for (size_t j = 0; j < i; ++j)
      for (const Conjunction &mine : of[i])
        for (const Conjunction &other : of[j])
          if (!areDisjoint(mine, other))
            document.refuse(
                one.id, one.keyword,
                fmt::format("is not supported unless its schemas exclude each "
                            "other for certain, and the schemas {} and {} may "
                            "not; use 'anyOf'",
                            j, i));
  }
}

/// Appends the alternatives of a state.
void Conjunctions::resolve(State state, std::vector<Conjunction> &result,
                           size_t depth) {
  budget.work(8 + state.all.size());
  if (typesOf(document, state.all) == 0)
    return;
  if (state.pending.empty()) {
    std::ranges::sort(state.all);
    if (std::ranges::find(result, state.all) == result.end())
      result.push_back(std::move(state.all));
    budget.work(result.size());
    budget.memory(64);
    return;
  }
  const Pending next = state.pending.back();
  state.pending.pop_back();
  if (depth > longestChain || result.size() > mostAlternatives)
    document.refuse(next.id, next.keyword, "has too many combinations");
  if (next.keyword == std::string_view("oneOf"))
    checkOneOf(state, next, depth);
  const size_t count = document.list(next.id, next.keyword)->size();
  for (size_t i = 0; i < count; ++i) {
    State branch = state;
    if (add(document.child(next.id, next.keyword, i), next.way, branch,
            depth + 1))
      resolve(std::move(branch), result, depth + 1);
  }
}

std::vector<Conjunction>
Conjunctions::alternatives(const std::vector<SubschemaId> &goal) {
  State state;
  std::vector<Conjunction> result;
  bool isPossible = true;
  for (SubschemaId id : goal)
    isPossible = isPossible && add(id, nullptr, state, 0);
  if (isPossible)
    resolve(std::move(state), result, 0);
  return result;
}

} // namespace transfold::runtime::inline constrain
