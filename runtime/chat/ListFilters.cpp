// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of lists and dicts.

#include "runtime/Error.h"
#include "runtime/chat/Builtin.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::chat {

namespace {

std::vector<Value> subject(Machine &machine, const Bound &given) {
  return itemsOf(given[0], machine.budget);
}

/// "function.name": attributes of attributes; numbers are indices.
Value attributeAt(Machine &machine, Value object, std::string_view path) {
  while (true) {
    size_t dot = path.find('.');
    std::string_view name = path.substr(0, dot);
    bool isIndex =
        !name.empty() && name.size() < 10 &&
        name.find_first_not_of("0123456789") == std::string_view::npos;
    object = machine.item(object,
                          isIndex ? Value(int64_t{std::stoi(std::string(name))})
                                  : Value::text(name));
    if (dot == path.npos)
      return object;
    path.remove_prefix(dot + 1);
  }
}

/// The part of each item that a filter looks at, by its parameter `attribute`.
Value looked(Machine &machine, const Bound &given, size_t attribute,
             const Value &item, bool caseCounts) {
  Value value = item;
  if (given.has(attribute) && !given[attribute].isNone()) {
    if (auto index = given[attribute].integer())
      value = machine.item(item, Value(*index));
    else
      value = attributeAt(machine, item, given.text(attribute, ""));
  }
  if (const Text *text = value.text(); text && !caseCounts)
    return inCase(*text, Case::Lower);
  return value;
}

/// The items that `map`, `select` and `reject` go through: none of what counts
/// as false, such as None.
std::vector<Value> itemsIfAny(Machine &machine, const Bound &given) {
  return isTrue(given[0]) ? subject(machine, given) : std::vector<Value>();
}

/// What `map`, `select` and `reject` do with each item: a filter or a test by
/// its name, with the arguments that follow.
Given withItem(const Value &item, const Given &rest, size_t skipped) {
  Given given;
  given.positional.push_back(item);
  for (size_t i = skipped; i < rest.positional.size(); ++i)
    given.positional.push_back(rest.positional[i]);
  given.named = rest.named;
  return given;
}

std::string nameOf(const Value &value) {
  return needText(value, "the name of a filter or test").bytes;
}

Value map(Machine &machine, const Bound &given) {
  std::vector<Value> result;
  const Given &rest = given.rest;
  auto named = [&](std::string_view name) {
    auto found = std::ranges::find(rest.named, name,
                                   [](const auto &each) { return each.first; });
    return found == rest.named.end() ? nullptr : &found->second;
  };
  for (const Value &item : itemsIfAny(machine, given)) {
    if (const Value *attribute = named("attribute")) {
      Value value =
          attribute->integer()
              ? machine.item(item, *attribute)
              : attributeAt(machine, item, needText(*attribute, "map").bytes);
      const Value *otherwise = named("default");
      result.push_back(value.isUndefined() && otherwise ? *otherwise : value);
    } else if (!rest.positional.empty()) {
      result.push_back(machine.applyFilter(nameOf(rest.positional[0]),
                                           withItem(item, rest, 1)));
    } else {
      fail("'map' needs a filter, or attribute=");
    }
  }
  return Value::list(std::move(result));
}

Value choose(Machine &machine, const Bound &given, bool wanted,
             bool byAttribute) {
  const Given &rest = given.rest;
  size_t skipped = byAttribute ? 1 : 0;
  if (rest.positional.size() < skipped)
    fail("needs the name of an attribute");
  std::vector<Value> result;
  for (const Value &item : itemsIfAny(machine, given)) {
    Value value = byAttribute
                      ? attributeAt(machine, item, nameOf(rest.positional[0]))
                      : item;
    bool holds = rest.positional.size() > skipped
                     ? machine.applyTest(nameOf(rest.positional[skipped]),
                                         withItem(value, rest, skipped + 1))
                     : isTrue(value);
    if (holds == wanted)
      result.push_back(item);
  }
  return Value::list(std::move(result));
}
Value select(Machine &machine, const Bound &given) {
  return choose(machine, given, true, false);
}
Value reject(Machine &machine, const Bound &given) {
  return choose(machine, given, false, false);
}
Value selectattr(Machine &machine, const Bound &given) {
  return choose(machine, given, true, true);
}
Value rejectattr(Machine &machine, const Bound &given) {
  return choose(machine, given, false, true);
}

Value first(Machine &machine, const Bound &given) {
  std::vector<Value> items = subject(machine, given);
  return items.empty() ? Value(Undefined{"the first of no items"}) : items[0];
}
Value last(Machine &machine, const Bound &given) {
  std::vector<Value> items = subject(machine, given);
  return items.empty() ? Value(Undefined{"the last of no items"})
                       : items.back();
}
Value length(Machine &, const Bound &given) {
  return static_cast<int64_t>(lengthOf(given[0]));
}
Value list(Machine &machine, const Bound &given) {
  return Value::list(subject(machine, given));
}

Value reverse(Machine &machine, const Bound &given) {
  std::vector<Value> items = subject(machine, given);
  std::ranges::reverse(items);
  if (given[0].text())
    return joined(items, Text(), true, machine.budget);
  return Value::list(std::move(items));
}

Value join(Machine &machine, const Bound &given) {
  std::vector<Value> items = subject(machine, given);
  for (Value &item : items)
    item = looked(machine, given, 2, item, true);
  return joined(items, given.has(1) ? asText(given[1], machine.budget) : Text(),
                false, machine.budget);
}

Value items(Machine &, const Bound &given) {
  if (given[0].isUndefined())
    return Value::list({});
  const Dict *dict = given[0].dict();
  if (!dict)
    fail("'items' needs a dict, not {}", typeName(given[0]));
  std::vector<Value> pairs;
  for (const auto &[key, value] : dict->entries)
    pairs.push_back(Value::list({key, value}, true));
  return Value::list(std::move(pairs));
}

/// Sorts by what `keyOf` says of each; equal ones stay in order. One by one:
/// numbers that are NaN have no order that a faster algorithm could rely on.
template <typename Key>
void sortBy(std::vector<Value> &items, bool backwards, Machine &machine,
            const Key &keyOf) {
  std::vector<std::pair<Value, Value>> sorted;
  auto comesBefore = [&](const auto &a, const auto &b) {
    return backwards ? isLess(b.first, a.first, machine.budget)
                     : isLess(a.first, b.first, machine.budget);
  };
  for (const Value &item : items) {
    std::pair<Value, Value> next(keyOf(item), item);
    machine.budget.step(1 + sorted.size() / 8);
    sorted.insert(std::ranges::upper_bound(sorted, next, comesBefore), next);
  }
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = sorted[i].second;
}

Value sort(Machine &machine, const Bound &given) {
  std::vector<Value> all = subject(machine, given);
  sortBy(all, given.isTrue(1, false), machine, [&](const Value &item) {
    return looked(machine, given, 3, item, given.isTrue(2, false));
  });
  return Value::list(std::move(all));
}

Value dictsort(Machine &machine, const Bound &given) {
  std::vector<Value> pairs = itemsOf(items(machine, given), machine.budget);
  size_t part = given.text(2, "key") == "value" ? 1 : 0;
  sortBy(pairs, given.isTrue(3, false), machine, [&](const Value &pair) {
    return looked(machine, Bound{{std::nullopt}, {}}, 0,
                  pair.list()->items[part], given.isTrue(1, false));
  });
  return Value::list(std::move(pairs));
}

Value unique(Machine &machine, const Bound &given) {
  std::vector<Value> result, seen;
  for (const Value &item : subject(machine, given)) {
    Value key = looked(machine, given, 2, item, given.isTrue(1, false));
    if (!contains(Value::list(seen), key, machine.budget)) {
      seen.push_back(key);
      result.push_back(item);
    }
  }
  return Value::list(std::move(result));
}

/// The smallest, or the largest.
Value extreme(Machine &machine, const Bound &given, bool largest) {
  std::vector<Value> all = subject(machine, given);
  if (all.empty())
    return Undefined{"the least of no items"};
  auto key = [&](const Value &item) {
    return looked(machine, given, 2, item, given.isTrue(1, false));
  };
  Value best = all[0];
  for (const Value &item : all)
    if (largest ? isLess(key(best), key(item), machine.budget)
                : isLess(key(item), key(best), machine.budget))
      best = item;
  return best;
}
Value min(Machine &machine, const Bound &given) {
  return extreme(machine, given, false);
}
Value max(Machine &machine, const Bound &given) {
  return extreme(machine, given, true);
}

Value batch(Machine &machine, const Bound &given) {
  int64_t count = given.integer(1, 1);
  if (count < 1)
    fail("'batch' needs a number above 0");
  std::vector<Value> rows, row;
  auto flush = [&] { rows.push_back(Value::list(std::exchange(row, {}))); };
  for (const Value &item : subject(machine, given)) {
    if (static_cast<int64_t>(row.size()) == count)
      flush();
    row.push_back(item);
  }
  if (row.empty())
    return Value::list(std::move(rows));
  if (given.has(2) && !given[2].isNone()) {
    machine.budget.step(static_cast<size_t>(count));
    row.resize(static_cast<size_t>(count), given[2]);
  }
  flush();
  return Value::list(std::move(rows));
}

constexpr Builtin table[] = {
    {"batch", "value linecount fill_with?", batch},
    {"count", "value", length},
    {"dictsort", "value case_sensitive? by? reverse?", dictsort},
    {"first", "value", first},
    {"items", "value", items},
    {"join", "value d? attribute?", join},
    {"last", "value", last},
    {"length", "value", length},
    {"list", "value", list},
    {"map", "value *", map},
    {"max", "value case_sensitive? attribute?", max},
    {"min", "value case_sensitive? attribute?", min},
    {"reject", "value *", reject},
    {"rejectattr", "value *", rejectattr},
    {"reverse", "value", reverse},
    {"select", "value *", select},
    {"selectattr", "value *", selectattr},
    {"sort", "value reverse? case_sensitive? attribute?", sort},
    {"unique", "value case_sensitive? attribute?", unique},
};

} // namespace

constinit const std::span<const Builtin> listFilters = table;

} // namespace transfold::runtime::chat
