// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/ArrayRules.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

ArrayRules::ArrayRules(SchemaDocument &document, const Conjunction &all)
    : document(document) {
  std::optional<SubschemaId> unique;
  for (SubschemaId id : all) {
    Part part = {.id = id};
    const SchemaJson *items = document.find(id, "items");
    if (document.list(id, "prefixItems"))
      part.listKeyword = "prefixItems";
    const char *rest = "items";
    if (items && items->is_array()) { // until draft 2019-09
      if (part.listKeyword)
        document.refuse(id, "items", "must not be a list beside 'prefixItems'");
      part.listKeyword = "items";
      rest = "additionalItems";
    }
    if (document.find(id, rest))
      part.rest = document.child(id, rest);
    if (part.listKeyword)
      part.listed = document.list(id, part.listKeyword)->size();
    prefix = std::max(prefix, part.listed);
    if (auto count = document.count(id, "minItems"))
      fewest = std::max(fewest, *count);
    if (auto count = document.count(id, "maxItems"))
      largest = std::min(largest, *count);
    if (const SchemaJson *flag = document.find(id, "uniqueItems")) {
      if (!flag->is_boolean())
        document.refuse(id, "uniqueItems", "must be true or false");
      if (flag->get<bool>())
        unique = id;
    }
    parts.push_back(part);
  }
  if (unique && largest > 1)
    document.refuse(*unique, "uniqueItems",
                    "is supported only if 'maxItems' is at most 1");
}

std::vector<SubschemaId> ArrayRules::goalOf(size_t index) const {
  std::vector<SubschemaId> goal;
  for (const Part &part : parts)
    if (index < part.listed)
      goal.push_back(document.child(part.id, part.listKeyword, index));
    else if (part.rest)
      goal.push_back(*part.rest);
  return goal;
}

} // namespace transfold::runtime::inline constrain
