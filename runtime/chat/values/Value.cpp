// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction and basic functions of values. Each container records how deeply
// it is nested when it is made, so that recursive functions need no check of
// their own.

#include "runtime/chat/values/Value.h"

#include "runtime/chat/values/Callable.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// How deeply a value is nested: 0 for values without parts.
unsigned depthOf(const Value &value) {
  if (const List *list = value.list())
    return list->depth;
  if (const Dict *dict = value.dict())
    return dict->depth;
  if (const Callable *callable = value.callable(); callable && callable->self)
    return depthOf(*callable->self) + 1;
  if (const Loop *loop = value.loop())
    return depthOf(loop->all) + 1;
  return 0;
}

/// The depth of a container that also has `item`. Throws Error if it is too
/// deep.
unsigned deeper(unsigned depth, const Value &item) {
  unsigned result = std::max(depth, depthOf(item) + 1);
  if (result > mostNested)
    fail("lists are nested deeper than {} levels", mostNested);
  return result;
}

} // namespace

Value Value::list(List list) {
  work(list.items.size() * sizeof(Value));
  for (const Value &item : list.items)
    list.depth = deeper(list.depth, item);
  Value value;
  value.held = makeCounted(std::move(list));
  return value;
}

Value Value::list(Values items, ListKind kind) {
  List list;
  list.items = std::move(items);
  list.kind = kind;
  return Value::list(std::move(list));
}

Value Value::dict(Dict dict) {
  work(dict.entries.size() * sizeof(Dict::Entry));
  for (const auto &[key, item] : dict.entries)
    dict.depth = std::max(deeper(dict.depth, key), deeper(dict.depth, item));
  Value value;
  value.held = makeCounted(std::move(dict));
  return value;
}

std::optional<Integer> Value::integer() const {
  if (auto *value = std::get_if<Integer>(&held))
    return *value;
  if (auto *value = std::get_if<bool>(&held))
    return *value ? 1 : 0;
  return std::nullopt;
}

std::optional<double> Value::number() const {
  if (auto value = integer())
    return static_cast<double>(*value);
  if (auto *value = real())
    return *value;
  return std::nullopt;
}

Value *Namespace::find(std::string_view name) {
  step(attributes.size() / 8);
  for (auto &[known, value] : attributes)
    if (known == name)
      return &value;
  return nullptr;
}

void Namespace::set(std::string_view name, Value value) {
  if (name.starts_with('_'))
    fail("a namespace cannot have a name that begins with '_', such as '{}'",
         shown(name));
  if (Value *known = find(name))
    *known = std::move(value);
  else
    attributes.emplace_back(CountedString(name), std::move(value));
}

std::string_view typeName(const Value &value) {
  constexpr std::string_view lists[] = {
      "list",        "tuple",      "range",    "dict_keys",
      "dict_values", "dict_items", "generator"};
  if (const List *list = value.list())
    return lists[static_cast<size_t>(list->kind)];
  constexpr std::string_view names[] = {
      "undefined", "None", "bool",     "int",       "float",   "str",
      "list",      "dict", "function", "namespace", "the loop"};
  return names[value.kind()];
}

std::string shown(std::string_view name) {
  constexpr size_t most = 60;
  if (name.size() <= most)
    return std::string(name);
  return std::string(name.substr(0, codePointBefore(name, most))) + "\u2026";
}

bool isTrue(const Value &value) {
  if (value.isUndefined() || value.isNone())
    return false;
  if (auto number = value.number())
    return *number != 0;
  if (const Text *text = value.text())
    return !text->empty();
  if (const List *list = value.list())
    return list->isIterator() || !list->items.empty();
  if (const Dict *dict = value.dict())
    return !dict->entries.empty();
  return true;
}

Values itemsOf(const Value &value) {
  Values items;
  if (const List *list = value.list()) {
    items.assign(list->items.begin() + static_cast<std::ptrdiff_t>(list->taken),
                 list->items.end());
    if (list->isIterator())
      list->taken = list->items.size();
  } else if (const Dict *dict = value.dict()) {
    for (const auto &[key, item] : dict->entries)
      items.push_back(key);
  } else if (const Text *text = value.text()) {
    work(text->size(), priceOfCharacters);
    for (size_t at = 0, begin; (begin = at) < text->size();) {
      nextCodePoint(text->bytes, at);
      items.push_back(text->substr(begin, at - begin));
    }
  } else if (!value.isUndefined()) {
    fail("a loop cannot iterate over {}", typeName(value));
  }
  step(items.size());
  return items;
}

std::optional<Value> firstOf(const Value &value) {
  if (const List *list = value.list()) {
    size_t at = list->taken;
    if (at == list->items.size())
      return std::nullopt;
    list->taken += list->isIterator();
    return list->items[at];
  }
  if (const Text *text = value.text()) {
    if (text->empty())
      return std::nullopt;
    size_t end = 0;
    nextCodePoint(text->bytes, end);
    return text->substr(0, end);
  }
  Values items = itemsOf(value);
  return items.empty() ? std::nullopt : std::optional(items.front());
}

size_t lengthOf(const Value &value) {
  if (value.isUndefined())
    return 0;
  if (const Text *text = value.text())
    return text->length();
  if (const List *list = value.list(); list && !list->isIterator())
    return list->items.size();
  if (const Dict *dict = value.dict())
    return dict->entries.size();
  fail("a {} has no length{}", typeName(value),
       value.list() ? "; make a list of it first, with | list" : "");
}

} // namespace transfold::runtime::chat
