// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of dicts, lists and loops. None of them changes its object.

#include "base/Error.h"
#include "runtime/chat/values/Callable.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// The views of a dict. A dict never changes, so that they may be copies.
Value keys(Machine &, const Bound &given) {
  Values items;
  for (const auto &[key, value] : given[0].dict()->entries)
    items.push_back(key);
  return Value::list(std::move(items), ListKind::Keys);
}
Value values(Machine &, const Bound &given) {
  Values items;
  for (const auto &[key, value] : given[0].dict()->entries)
    items.push_back(value);
  return Value::list(std::move(items), ListKind::Values);
}
Value items(Machine &, const Bound &given) {
  Values items;
  for (const auto &[key, value] : given[0].dict()->entries)
    items.push_back(Value::tuple({key, value}));
  return Value::list(std::move(items), ListKind::Items);
}
Value get(Machine &, const Bound &given) {
  if (const Value *found = given[0].dict()->find(given[1]))
    return *found;
  return given.has(2) ? given[2] : Value(None{});
}
Value copy(Machine &, const Bound &given) { return given[0]; }

Value count(Machine &, const Bound &given) {
  return static_cast<int64_t>(
      std::ranges::count_if(given[0].list()->items, [&](const Value &item) {
        return areEqual(item, given[1]);
      }));
}
/// list.index(item, start, stop).
Value index(Machine &, const Bound &given) {
  const Values &items = given[0].list()->items;
  auto count = static_cast<int64_t>(items.size());
  auto place = [&](size_t which, int64_t otherwise) {
    int64_t at = given.integer(which, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count);
  };
  for (int64_t i = place(2, 0), end = place(3, count); i < end; ++i)
    if (areEqual(items[static_cast<size_t>(i)], given[1]))
      return i;
  fail("index: the {} has no such item", typeName(given[0]));
}

/// loop.cycle(a, b, …): the arguments in turn.
Value cycle(Machine &, const Bound &given) {
  const Values &all = given.rest.positional;
  if (all.empty())
    fail("'cycle' needs values");
  return all[given[0].loop()->index % all.size()];
}
/// loop.changed(values): whether they differ from those of the preceding call.
Value changed(Machine &, const Bound &given) {
  Loop &loop = *given[0].loop();
  Value now = Value::tuple(given.rest.positional);
  bool isSame = loop.last && areEqual(*loop.last, now);
  // After the loop, `last` would create a reference cycle if the loop is stored
  // in its arguments.
  if (!loop.isOver)
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
    {"index", "self item start? stop?", index},
};
constexpr Builtin ofSequences[] = {
    {"count", "self item", count},
    {"index", "self item start? stop?", index},
};
constexpr Builtin ofLoops[] = {
    {"changed", "self *", changed},
    {"cycle", "self *", cycle},
};

} // namespace

constinit const std::span<const Builtin> dictMethods = ofDicts;
constinit const std::span<const Builtin> listMethods = ofLists;
constinit const std::span<const Builtin> sequenceMethods = ofSequences;
constinit const std::span<const Builtin> loopMethods = ofLoops;

std::optional<Value> Loop::find(std::string_view name) const {
  auto at = static_cast<int64_t>(index),
       count = static_cast<int64_t>(items().size());
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
    return at > 0 ? items()[index - 1] : Value(Undefined{"loop.previtem"});
  if (name == "nextitem")
    return at + 1 < count ? items()[index + 1]
                          : Value(Undefined{"loop.nextitem"});
  return std::nullopt;
}

} // namespace transfold::runtime::chat
