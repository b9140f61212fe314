// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dicts: entries in insertion order, and a hash table of their positions.

#include "runtime/chat/values/Value.h"

#include <bit>

namespace transfold::runtime::chat {

namespace {

/// Number of entries up to which lookup is linear.
constexpr size_t few = 8;

/// Combines a hash with a further word.
constexpr size_t mixed(size_t hash, size_t more) {
  return (std::rotl(hash, 23) ^ more) * 0x9e3779b97f4a7c15;
}

/// Keys come from conversations: hashing them counts as work.
size_t hashOfText(std::string_view text) {
  work(text.size(), 4);
  return std::hash<std::string_view>()(text);
}

/// Mixes both halves of the 128 bits.
size_t hashOfInteger(Integer value) {
  auto bits = static_cast<unsigned __int128>(value);
  return mixed(mixed(1, static_cast<size_t>(bits)),
               static_cast<size_t>(bits >> 64));
}

/// Numbers that are equal must have the same hash, whatever their types.
size_t hashOfReal(double value) {
  constexpr double limit = 0x1p127;
  if (value >= -limit && value < limit && value == std::trunc(value))
    return hashOfInteger(static_cast<Integer>(value)); // equal to that integer
  return mixed(2, std::hash<double>()(value));
}

} // namespace

size_t hashOf(const Value &value) {
  step();
  if (const Text *text = value.text())
    return hashOfText(text->view());
  if (auto integer = value.integer())
    return hashOfInteger(*integer);
  if (const double *real = value.real())
    return hashOfReal(*real);
  const List *list = value.list();
  if (list && list->isTuple()) {
    size_t hash = 3;
    for (const Value &item : list->items)
      hash = mixed(hash, hashOf(item));
    return hash;
  }
  if (value.dict() ||
      (list && (list->kind == ListKind::List || list->kind == ListKind::Keys ||
                list->kind == ListKind::Items)))
    fail("a {} cannot be the key of a dict", typeName(value));
  return value.kind();
}

template <typename Fits>
const Dict::Entry *Dict::lookUp(size_t hash, const Fits &fits) const {
  for (size_t at = hash;; ++at) {
    uint32_t place = slots[at % slots.size()];
    if (place == 0)
      return nullptr;
    step();
    if (fits(entries[place - 1].first))
      return &entries[place - 1];
  }
}

const Value *Dict::find(const Value &key) const {
  if (const Text *text = key.text())
    return find(text->view());
  size_t hash = hashOf(key);
  auto fits = [&](const Value &known) { return areEqual(known, key); };
  if (!slots.empty()) {
    const Entry *found = lookUp(hash, fits);
    return found ? &found->second : nullptr;
  }
  for (const auto &[known, value] : entries)
    if (fits(known))
      return &value;
  return nullptr;
}

const Value *Dict::find(std::string_view key) const {
  auto fits = [&](const Value &known) {
    const Text *text = known.text();
    return text && text->size() == key.size() &&
           (work(key.size()), text->view() == key);
  };
  if (!slots.empty()) {
    const Entry *found = lookUp(hashOfText(key), fits);
    return found ? &found->second : nullptr;
  }
  for (const auto &[known, value] : entries)
    if (fits(known))
      return &value;
  return nullptr;
}

void Dict::addSlot(size_t hash, size_t place) {
  size_t at = hash % slots.size();
  while (slots[at] != 0) {
    step();
    at = (at + 1) % slots.size();
  }
  slots[at] = static_cast<uint32_t>(place + 1);
}

void Dict::set(Value key, Value value) {
  size_t hash = hashOf(key); // throws if the value cannot be a key
  if (const Value *known = find(key)) {
    const_cast<Value &>(*known) = std::move(value);
    return;
  }
  entries.emplace_back(std::move(key), std::move(value));
  if (entries.size() <= few)
    return;
  if (slots.size() > 2 * entries.size())
    return addSlot(hash, entries.size() - 1);
  slots.assign(std::bit_ceil(4 * entries.size()), 0);
  for (size_t i = 0; i < entries.size(); ++i)
    addSlot(hashOf(entries[i].first), i);
}

} // namespace transfold::runtime::chat
