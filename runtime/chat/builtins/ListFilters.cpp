// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters for lists and dicts.

#include "base/Error.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/text/Sort.h"
#include "runtime/chat/values/Builtin.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::chat {

Value attributeAt(Machine &machine, Value object, const Value &path,
                  const Value *otherwise) {
  auto take = [&](const Value &part) {
    object = machine.item(object, part);
    if (otherwise && object.isUndefined())
      object = *otherwise;
  };
  if (path.integer()) {
    take(path);
    return object;
  }
  std::string_view rest = needText(path, "an attribute").bytes;
  while (true) {
    step();
    size_t dot = rest.find('.');
    std::string_view name = rest.substr(0, dot);
    Integer index;
    take(readDigits(name, 10, index) ? Value(index) : Value::text(name));
    if (dot == rest.npos)
      return object;
    rest.remove_prefix(dot + 1);
  }
}

namespace {

/// The items of the filtered value.
Values subject(const Bound &given) { return itemsOf(given[0]); }

/// A text in lower case for comparisons, unless `caseCounts`; other values
/// unchanged.
Value inOneCase(const Value &value, bool caseCounts) {
  const Text *text = value.text();
  return text && !caseCounts ? Value(inCase(*text, Case::Lower)) : value;
}

/// The part of an item that a filter uses, by its parameter `attribute`.
Value looked(Machine &machine, const Bound &given, size_t attribute,
             const Value &item, bool caseCounts) {
  bool hasPath = given.has(attribute) && !given[attribute].isNone();
  return inOneCase(hasPath ? attributeAt(machine, item, given[attribute])
                           : item,
                   caseCounts);
}

/// The items for `map`, `select` and `reject`: empty if the value is false,
/// such as None.
Values itemsIfAny(const Bound &given) {
  return isTrue(given[0]) ? subject(given) : Values();
}

/// The call that `map`, `select` and `reject` make for each item: a filter or a
/// test by its name, with the arguments after it.
Given withItem(const Value &item, const Given &rest, size_t skipped) {
  Given given;
  given.positional.push_back(item);
  for (size_t i = skipped; i < rest.positional.size(); ++i)
    given.positional.push_back(rest.positional[i]);
  given.named = rest.named;
  return given;
}

/// The name of a filter or a test, given as a value.
std::string_view nameOf(const Value &value) {
  return needText(value, "the name of a filter or test").bytes;
}

/// map(filter, arguments…), or map(attribute=…, default=…).
Value map(Machine &machine, const Bound &given) {
  const Given &rest = given.rest;
  auto named = [&](std::string_view name) {
    auto found = std::ranges::find_if(
        rest.named, [&](const auto &each) { return each.first == name; });
    return found == rest.named.end() ? nullptr : &found->second;
  };
  const Value *attribute = named("attribute"), *otherwise = named("default");
  if (otherwise && otherwise->isNone())
    otherwise = nullptr;
  if (!attribute && rest.positional.empty())
    fail("'map' needs a filter, or attribute=");
  Values result;
  for (const Value &item : itemsIfAny(given))
    result.push_back(rest.positional.empty()
                         ? attributeAt(machine, item, *attribute, otherwise)
                         : machine.applyFilter(nameOf(rest.positional[0]),
                                               withItem(item, rest, 1)));
  return Value::iterator(std::move(result));
}

/// The items for which a test holds if `wanted`, or does not hold; without a
/// test, their truth value decides.
Value choose(Machine &machine, const Bound &given, bool wanted,
             bool byAttribute) {
  const Given &rest = given.rest;
  size_t skipped = byAttribute ? 1 : 0;
  if (rest.positional.size() < skipped)
    fail("needs the name of an attribute");
  Values result;
  for (const Value &item : itemsIfAny(given)) {
    Value value =
        byAttribute ? attributeAt(machine, item, rest.positional[0]) : item;
    bool holds = rest.positional.size() > skipped
                     ? machine.applyTest(nameOf(rest.positional[skipped]),
                                         withItem(value, rest, skipped + 1))
                     : isTrue(value);
    if (holds == wanted)
      result.push_back(item);
  }
  return Value::iterator(std::move(result));
}
/// select, reject, selectattr and rejectattr.
template <bool wanted, bool byAttribute>
Value chosen(Machine &machine, const Bound &given) {
  return choose(machine, given, wanted, byAttribute);
}

Value first(Machine &, const Bound &given) {
  auto item = firstOf(given[0]);
  return item ? *item : Value(Undefined{"the first of no items"});
}
/// A generator has no last item in Python either, since it cannot be iterated
/// backwards.
Value last(Machine &, const Bound &given) {
  const Undefined none{"the last of no items"};
  if (const Text *text = given[0].text())
    return text->empty()
               ? Value(none)
               : text->substr(codePointBefore(text->bytes, text->size()));
  const List *list = given[0].list();
  if (list && list->isIterator())
    fail("a generator has no last item; make a list of it first, with | list");
  if (list)
    return list->items.empty() ? Value(none) : list->items.back();
  Values items = subject(given);
  return items.empty() ? Value(none) : items.back();
}
Value length(Machine &, const Bound &given) {
  return Value::count(lengthOf(given[0]));
}
Value list(Machine &, const Bound &given) {
  return Value::list(subject(given));
}

/// A text reversed by characters, or an iterator over the items from the last
/// on; as in jinja2, an iterator becomes a list.
Value reverse(Machine &, const Bound &given) {
  Values items = subject(given);
  std::ranges::reverse(items);
  if (given[0].text())
    return joined(items, Text(), true);
  if (given[0].list() && given[0].list()->isIterator())
    return Value::list(std::move(items));
  return Value::iterator(std::move(items));
}

Value join(Machine &machine, const Bound &given) {
  Values items = subject(given);
  for (Value &item : items)
    item = looked(machine, given, 2, item, true);
  return joined(items, given.has(1) ? asText(given[1]) : Text(), false);
}

/// The entries of a dict as tuples. Throws Error that names the filter `who`.
Values pairsOf(const Bound &given, const char *who) {
  Values pairs;
  const Dict *dict = given[0].dict();
  if (!dict)
    fail("'{}' needs a dict, not {}", who, typeName(given[0]));
  for (const auto &[key, value] : dict->entries)
    pairs.push_back(Value::tuple({key, value}));
  return pairs;
}
Value items(Machine &, const Bound &given) {
  return Value::iterator(given[0].isUndefined() ? Values()
                                                : pairsOf(given, "items"));
}

/// Stable sort by the key that `keyOf` returns.
template <typename Key>
void sortBy(Values &items, bool backwards, const Key &keyOf) {
  CountedVector<std::pair<Value, Value>> sorted;
  for (const Value &item : items)
    sorted.emplace_back(keyOf(item), item);
  sortStably(sorted, [&](const auto &a, const auto &b) {
    return backwards ? isLess(b.first, a.first) : isLess(a.first, b.first);
  });
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = std::move(sorted[i].second);
}

/// The sort key: one attribute, or several ones separated by commas.
Value sortKey(Machine &machine, const Bound &given, const Value &item,
              size_t attribute, bool caseCounts) {
  const Text *paths = given.has(attribute) ? given[attribute].text() : nullptr;
  if (!paths || paths->bytes.find(',') == std::string::npos)
    return looked(machine, given, attribute, item, caseCounts);
  Values keys;
  for (std::string_view rest = paths->bytes;;) {
    size_t comma = rest.find(',');
    keys.push_back(inOneCase(
        attributeAt(machine, item, Value::text(rest.substr(0, comma))),
        caseCounts));
    if (comma == rest.npos)
      return Value::list(std::move(keys));
    rest.remove_prefix(comma + 1);
  }
}

Value sort(Machine &machine, const Bound &given) {
  Values all = subject(given);
  sortBy(all, given.isTrue(1, false), [&](const Value &item) {
    return sortKey(machine, given, item, 3, given.isTrue(2, false));
  });
  return Value::list(std::move(all));
}

/// The entries of a dict as pairs, sorted by key or by value.
Value dictsort(Machine &, const Bound &given) {
  Values pairs = pairsOf(given, "dictsort");
  std::string_view by = given.text(2, "key");
  if (by != "key" && by != "value")
    fail("'dictsort' sorts by \"key\" or \"value\"");
  sortBy(pairs, given.isTrue(3, false), [&](const Value &pair) {
    return inOneCase(pair.list()->items[by == "value"], given.isTrue(1, false));
  });
  return Value::list(std::move(pairs));
}

/// The first of all items that are equal, by an attribute or ignoring case.
Value unique(Machine &machine, const Bound &given) {
  Values result;
  Dict seen;
  for (const Value &item : subject(given)) {
    Value key = looked(machine, given, 2, item, given.isTrue(1, false));
    if (seen.find(key))
      continue;
    seen.set(key, None{});
    result.push_back(item);
  }
  return Value::iterator(std::move(result));
}

/// Groups items by `attribute`; groups are sorted by its value.
Value groupby(Machine &machine, const Bound &given) {
  Values all = subject(given);
  const Value *otherwise =
      given.has(2) && !given[2].isNone() ? &given[2] : nullptr;
  auto exact = [&](const Value &item) {
    return attributeAt(machine, item, given[1], otherwise);
  };
  auto key = [&](const Value &item) {
    return inOneCase(exact(item), given.isTrue(3, false));
  };
  sortBy(all, false, key);
  Values groups, group;
  std::optional<Value> now;
  auto flush = [&] {
    if (group.empty())
      return;
    List pair;
    pair.kind = ListKind::Tuple;
    pair.isGroup = true;
    pair.items.push_back(exact(group.front()));
    pair.items.push_back(Value::list(std::exchange(group, {})));
    groups.push_back(Value::list(std::move(pair)));
  };
  for (const Value &item : all) {
    Value its = key(item);
    if (now && !areEqual(*now, its))
      flush();
    now = its;
    group.push_back(item);
  }
  flush();
  return Value::list(std::move(groups));
}

/// The smallest or the largest item.
template <bool largest> Value extreme(Machine &machine, const Bound &given) {
  Values all = subject(given);
  if (all.empty())
    return Undefined{largest ? "the maximum of no items"
                             : "the minimum of no items"};
  auto key = [&](const Value &item) {
    return looked(machine, given, 2, item, given.isTrue(1, false));
  };
  size_t best = 0;
  Value bestKey = key(all[0]);
  for (size_t i = 1; i < all.size(); ++i) {
    Value its = key(all[i]);
    if (largest ? isLess(bestKey, its) : isLess(its, bestKey)) {
      best = i;
      bestKey = std::move(its);
    }
  }
  return all[best];
}

/// Checks the number of rows or columns, which is independent of the number of
/// items and would otherwise not be limited.
size_t fillCount(int64_t count) {
  constexpr int64_t most = 100'000;
  if (count > most)
    fail("a row has more than {} places to fill", most);
  return static_cast<size_t>(count);
}

/// Divides items into rows of `count`; the last one is filled up if a value for
/// that is given.
Value batch(Machine &, const Bound &given) {
  int64_t count = given.integer(1, 1);
  if (count < 1)
    fail("'batch' needs a number above 0");
  Values rows, row;
  auto flush = [&] { rows.push_back(Value::list(std::exchange(row, {}))); };
  for (const Value &item : subject(given)) {
    if (static_cast<int64_t>(row.size()) == count)
      flush();
    row.push_back(item);
  }
  if (row.empty())
    return Value::iterator(std::move(rows));
  if (given.has(2) && !given[2].isNone())
    row.resize(fillCount(count), given[2]);
  flush();
  return Value::iterator(std::move(rows));
}

/// Distributes items among `count` columns; the first ones may have one item
/// more.
Value slice(Machine &, const Bound &given) {
  int64_t count = given.integer(1, 1);
  if (count < 1)
    fail("'slice' needs a number above 0");
  Values items = subject(given), columns;
  size_t rows = fillCount(count), each = items.size() / rows,
         longer = items.size() % rows, at = 0;
  for (size_t i = 0; i < rows; ++i) {
    size_t end = at + each + (i < longer);
    Values column(items.begin() + static_cast<std::ptrdiff_t>(at),
                  items.begin() + static_cast<std::ptrdiff_t>(end));
    if (given.has(2) && !given[2].isNone() && i >= longer)
      column.push_back(given[2]);
    columns.push_back(Value::list(std::move(column)));
    at = end;
  }
  return Value::iterator(std::move(columns));
}

constexpr Builtin table[] = {
    {"batch", "value linecount fill_with?", batch},
    {"count", "value", length},
    {"dictsort", "value case_sensitive? by? reverse?", dictsort},
    {"first", "value", first},
    {"groupby", "value attribute default? case_sensitive?", groupby},
    {"items", "value", items},
    {"join", "value d? attribute?", join},
    {"last", "value", last},
    {"length", "value", length},
    {"list", "value", list},
    {"map", "value *", map},
    {"max", "value case_sensitive? attribute?", extreme<true>},
    {"min", "value case_sensitive? attribute?", extreme<false>},
    {"reject", "value *", chosen<false, false>},
    {"rejectattr", "value *", chosen<false, true>},
    {"reverse", "value", reverse},
    {"select", "value *", chosen<true, false>},
    {"selectattr", "value *", chosen<true, true>},
    {"slice", "value slices fill_with?", slice},
    {"sort", "value reverse? case_sensitive? attribute?", sort},
    {"unique", "value case_sensitive? attribute?", unique},
};

} // namespace

constinit const std::span<const Builtin> listFilters = table;

} // namespace transfold::runtime::chat
