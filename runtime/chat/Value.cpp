// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/chat/Value.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Unicode.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

unsigned depthOf(const Value &value) {
  if (const List *list = value.list())
    return list->depth;
  if (const Dict *dict = value.dict())
    return dict->depth;
  return 0;
}

unsigned deeper(unsigned depth, const Value &item) {
  unsigned result = std::max(depth, depthOf(item) + 1);
  if (result > mostNested)
    fail("lists are nested deeper than {} levels", mostNested);
  return result;
}

[[noreturn]] void failCompare(const char *sign, const Value &a,
                              const Value &b) {
  fail("'{}' is not defined between {} and {}", sign, typeName(a), typeName(b));
}

} // namespace

Value Value::list(std::vector<Value> items, bool isTuple) {
  List list{std::move(items), isTuple};
  for (const Value &item : list.items)
    list.depth = deeper(list.depth, item);
  Value value;
  value.held = std::make_shared<const List>(std::move(list));
  return value;
}

Value Value::dict(std::vector<std::pair<Value, Value>> entries) {
  Dict dict{std::move(entries)};
  for (const auto &[key, item] : dict.entries)
    dict.depth = std::max(deeper(dict.depth, key), deeper(dict.depth, item));
  Value value;
  value.held = std::make_shared<const Dict>(std::move(dict));
  return value;
}

std::optional<int64_t> Value::integer() const {
  if (auto *value = std::get_if<int64_t>(&held))
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

const Value *Dict::find(const Value &key) const {
  if (const Text *text = key.text())
    return find(text->bytes);
  Budget budget{Limits()}; // keys are short
  for (const auto &[known, value] : entries)
    if (areEqual(known, key, budget))
      return &value;
  return nullptr;
}

const Value *Dict::find(std::string_view key) const {
  for (const auto &[known, value] : entries)
    if (const Text *text = known.text(); text && text->bytes == key)
      return &value;
  return nullptr;
}

Value *Namespace::find(std::string_view name) {
  for (auto &[known, value] : attributes)
    if (known == name)
      return &value;
  return nullptr;
}

void Namespace::set(std::string_view name, Value value) {
  if (Value *known = find(name))
    *known = std::move(value);
  else
    attributes.emplace_back(name, std::move(value));
}

std::string_view typeName(const Value &value) {
  if (value.list())
    return value.list()->isTuple ? "tuple" : "list";
  constexpr std::string_view names[] = {
      "undefined", "None", "bool",     "int",       "float",   "str",
      "list",      "dict", "function", "namespace", "the loop"};
  return names[value.kind()];
}

bool isTrue(const Value &value) {
  if (value.isUndefined() || value.isNone())
    return false;
  if (auto number = value.number())
    return *number != 0;
  if (const Text *text = value.text())
    return !text->empty();
  if (const List *list = value.list())
    return !list->items.empty();
  if (const Dict *dict = value.dict())
    return !dict->entries.empty();
  return true;
}

bool areEqual(const Value &a, const Value &b, Budget &budget) {
  budget.step();
  if (a.isInteger() && b.isInteger())
    return *a.integer() == *b.integer();
  if (auto x = a.number(), y = b.number(); x && y)
    return *x == *y;
  if (a.kind() != b.kind())
    return false;
  if (const Text *x = a.text())
    return x->bytes == b.text()->bytes;
  if (const List *x = a.list()) {
    const List *y = b.list();
    return x->isTuple == y->isTuple &&
           std::ranges::equal(x->items, y->items,
                              [&](const Value &p, const Value &q) {
                                return areEqual(p, q, budget);
                              });
  }
  if (const Dict *x = a.dict()) {
    const Dict *y = b.dict();
    return x->entries.size() == y->entries.size() &&
           std::ranges::all_of(x->entries, [&](const auto &entry) {
             const Value *other = y->find(entry.first);
             budget.step(y->entries.size());
             return other && areEqual(entry.second, *other, budget);
           });
  }
  return a.callable() == b.callable() && a.space() == b.space() &&
         a.loop() == b.loop();
}

bool isLess(const Value &a, const Value &b, Budget &budget) {
  budget.step();
  if (a.isInteger() && b.isInteger())
    return *a.integer() < *b.integer();
  if (auto x = a.number(), y = b.number(); x && y)
    return *x < *y;
  if (a.text() && b.text()) // the bytes of UTF-8 have the order of code points
    return a.text()->bytes < b.text()->bytes;
  const List *x = a.list(), *y = b.list();
  if (!x || !y || x->isTuple != y->isTuple)
    failCompare("<", a, b);
  for (size_t i = 0; i < std::min(x->items.size(), y->items.size()); ++i)
    if (!areEqual(x->items[i], y->items[i], budget))
      return isLess(x->items[i], y->items[i], budget);
  return x->items.size() < y->items.size();
}

bool contains(const Value &container, const Value &what, Budget &budget) {
  if (container.isUndefined())
    return false;
  if (const Text *text = container.text()) {
    if (!what.text())
      fail("'in' a string needs a string, not {}", typeName(what));
    budget.step(1 + text->size() / 64);
    return text->bytes.find(what.text()->bytes) != std::string::npos;
  }
  if (const List *list = container.list())
    return std::ranges::any_of(list->items, [&](const Value &item) {
      return areEqual(item, what, budget);
    });
  if (const Dict *dict = container.dict()) {
    budget.step(dict->entries.size());
    return dict->find(what) != nullptr;
  }
  fail("'in' needs a list, a dict or a string, not {}", typeName(container));
}

std::vector<Value> itemsOf(const Value &value, Budget &budget) {
  std::vector<Value> items;
  if (const List *list = value.list()) {
    items = list->items;
  } else if (const Dict *dict = value.dict()) {
    for (const auto &[key, item] : dict->entries)
      items.push_back(key);
  } else if (const Text *text = value.text()) {
    std::vector<size_t> offsets = text->offsets();
    budget.step(offsets.size());
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      items.push_back(text->substr(offsets[i], offsets[i + 1] - offsets[i]));
  } else if (!value.isUndefined()) {
    fail("{} is nothing that a loop can go through", typeName(value));
  }
  budget.step(items.size());
  budget.make(items.size() * sizeof(Value));
  return items;
}

size_t lengthOf(const Value &value) {
  if (value.isUndefined())
    return 0;
  if (const Text *text = value.text())
    return text->offsets().size() - 1;
  if (const List *list = value.list())
    return list->items.size();
  if (const Dict *dict = value.dict())
    return dict->entries.size();
  fail("{} has no length", typeName(value));
}

namespace {

/// One word, such as user: no part of a control token could be hidden in it.
bool isWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
  });
}

/// Throws Error for bytes that are not UTF-8.
Text checked(const std::string &text, Origin origin) {
  (void)decodeUtf8(text);
  return {text, origin};
}

Value convert(const nlohmann::ordered_json &json, Origin origin,
              unsigned depth) {
  if (depth > mostNested - 10)
    fail("messages are nested deeper than {} levels", mostNested - 10);
  switch (json.type()) {
  case nlohmann::json::value_t::boolean:
    return json.get<bool>();
  case nlohmann::json::value_t::number_unsigned:
    if (json.get<uint64_t>() > INT64_MAX)
      return json.get<double>();
    [[fallthrough]];
  case nlohmann::json::value_t::number_integer:
    return json.get<int64_t>();
  case nlohmann::json::value_t::number_float:
    return json.get<double>();
  case nlohmann::json::value_t::string:
    return checked(json.get_ref<const std::string &>(), origin);
  case nlohmann::json::value_t::array: {
    std::vector<Value> items;
    for (const auto &item : json)
      items.push_back(convert(item, origin, depth + 1));
    return Value::list(std::move(items));
  }
  case nlohmann::json::value_t::object: {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto &[key, item] : json.items()) {
      bool isRole = key == "role" && item.is_string() &&
                    isWord(item.get_ref<const std::string &>());
      entries.emplace_back(
          checked(key, origin),
          convert(item, isRole ? Origin::Template : origin, depth + 1));
    }
    return Value::dict(std::move(entries));
  }
  default:
    return None{};
  }
}

} // namespace

Value fromJson(const nlohmann::ordered_json &json, Origin origin) {
  return convert(json, origin, 0);
}

} // namespace transfold::runtime::chat
