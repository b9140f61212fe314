// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of dicts, lists and loops. None changes what it belongs to.

#include "runtime/Error.h"
#include "runtime/chat/Callable.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

Value listOf(const Dict &dict, bool keys, bool values, Budget &budget) {
  std::vector<Value> items;
  budget.make(dict.entries.size() * sizeof(Value));
  for (const auto &[key, value] : dict.entries)
    items.push_back(!values ? key
                    : !keys ? value
                            : Value::list({key, value}, true));
  return Value::list(std::move(items));
}
Value items(Machine &machine, const Bound &given) {
  return listOf(*given[0].dict(), true, true, machine.budget);
}
Value keys(Machine &machine, const Bound &given) {
  return listOf(*given[0].dict(), true, false, machine.budget);
}
Value values(Machine &machine, const Bound &given) {
  return listOf(*given[0].dict(), false, true, machine.budget);
}
Value get(Machine &machine, const Bound &given) {
  machine.budget.step(given[0].dict()->entries.size());
  if (const Value *found = given[0].dict()->find(given[1]))
    return *found;
  return given.has(2) ? given[2] : Value(None{});
}
Value copy(Machine &, const Bound &given) { return given[0]; }

Value count(Machine &machine, const Bound &given) {
  return static_cast<int64_t>(
      std::ranges::count_if(given[0].list()->items, [&](const Value &item) {
        return areEqual(item, given[1], machine.budget);
      }));
}
Value index(Machine &machine, const Bound &given) {
  const std::vector<Value> &items = given[0].list()->items;
  for (size_t i = 0; i < items.size(); ++i)
    if (areEqual(items[i], given[1], machine.budget))
      return static_cast<int64_t>(i);
  fail("index: the list has no such item");
}

Value cycle(Machine &, const Bound &given) {
  const std::vector<Value> &all = given.rest.positional;
  if (all.empty())
    fail("'cycle' needs values");
  return all[given[0].loop()->index % all.size()];
}
Value changed(Machine &machine, const Bound &given) {
  Loop &loop = *given[0].loop();
  Value now = Value::list(given.rest.positional, true);
  bool isSame = loop.last && areEqual(*loop.last, now, machine.budget);
  loop.last = std::move(now);
  return !isSame;
}

constexpr Builtin ofDicts[] = {
    {"copy", "self", copy},     {"get", "self key default?", get},
    {"items", "self", items},   {"keys", "self", keys},
    {"values", "self", values},
};
constexpr Builtin ofLists[] = {
    {"copy", "self", copy},
    {"count", "self item", count},
    {"index", "self item", index},
};
constexpr Builtin ofLoops[] = {
    {"changed", "self *", changed},
    {"cycle", "self *", cycle},
};

} // namespace

constinit const std::span<const Builtin> dictMethods = ofDicts;
constinit const std::span<const Builtin> listMethods = ofLists;
constinit const std::span<const Builtin> loopMethods = ofLoops;

std::optional<Value> Loop::find(std::string_view name) const {
  auto at = static_cast<int64_t>(index),
       count = static_cast<int64_t>(items.size());
  if (name == "index")
    return at + 1;
  if (name == "index0")
    return at;
  if (name == "revindex")
    return count - at;
  if (name == "revindex0")
    return count - at - 1;
  if (name == "first")
    return at == 0;
  if (name == "last")
    return at + 1 == count;
  if (name == "length")
    return count;
  if (name == "depth")
    return depth;
  if (name == "depth0")
    return depth - 1;
  if (name == "previtem")
    return at > 0 ? items[index - 1] : Value(Undefined{"loop.previtem"});
  if (name == "nextitem")
    return at + 1 < count ? items[index + 1]
                          : Value(Undefined{"loop.nextitem"});
  return std::nullopt;
}

} // namespace transfold::runtime::chat
