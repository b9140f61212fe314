// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ==, < and `in`, with Python's rules.

#include "runtime/chat/values/Value.h"

#include <algorithm>
#include <compare>

namespace transfold::runtime::chat {

namespace {

/// Throws the Error of two values without an order.
[[noreturn]] void failCompare(const char *sign, const Value &a,
                              const Value &b) {
  for (const Value *value : {&a, &b})
    if (value->isUndefined())
      fail("{} is undefined", value->undefinedName());
  fail("'{}' is not defined between {} and {}", sign, typeName(a), typeName(b));
}

/// The order of two numbers, without rounding; nullopt if one value is not a
/// number.
std::optional<std::partial_ordering> ofNumbers(const Value &a, const Value &b) {
  if (!a.isNumber() || !b.isNumber())
    return std::nullopt;
  if (a.real() && b.real())
    return *a.real() <=> *b.real();
  if (a.real())
    return 0 <=> compared(*b.integer(), *a.real());
  if (b.real())
    return compared(*a.integer(), *b.real());
  Integer x = *a.integer(), y = *b.integer();
  return x < y   ? std::partial_ordering::less
         : x > y ? std::partial_ordering::greater
                 : std::partial_ordering::equivalent;
}

/// Whether the items are pairwise equal.
bool areEqualItems(const List &a, const List &b) {
  return a.items.size() == b.items.size() &&
         std::ranges::equal(a.items, b.items, areEqual);
}

/// Keys and items of dicts are compared as sets; iterators and values by
/// identity.
bool areEqualLists(const Value &a, const Value &b) {
  const List &x = *a.list(), &y = *b.list();
  bool isSet = x.kind == ListKind::Keys || x.kind == ListKind::Items;
  if (isSet && (y.kind == ListKind::Keys || y.kind == ListKind::Items))
    return x.items.size() == y.items.size() &&
           std::ranges::all_of(
               x.items, [&](const Value &item) { return contains(b, item); });
  if (x.kind != y.kind)
    return false;
  return x.isSequence() ? areEqualItems(x, y) : &x == &y;
}

/// Whether both have the same entries, in any order.
bool areEqualDicts(const Dict &x, const Dict &y) {
  return x.entries.size() == y.entries.size() &&
         std::ranges::all_of(x.entries, [&](const auto &entry) {
           const Value *other = y.find(entry.first);
           return other && areEqual(entry.second, *other);
         });
}

/// a < b, or a <= b.
bool isInOrder(const Value &a, const Value &b, bool orEqual) {
  step();
  const char *sign = orEqual ? "<=" : "<";
  if (auto order = ofNumbers(a, b))
    return *order < 0 || (orEqual && *order == 0);
  if (a.text() && b.text()) { // UTF-8 bytes sort like code points
    work(std::min(a.text()->size(), b.text()->size()));
    int order = a.text()->bytes.compare(b.text()->bytes);
    return order < 0 || (orEqual && order == 0);
  }
  const List *x = a.list(), *y = b.list();
  if (!x || !y || x->kind != y->kind ||
      (x->kind != ListKind::List && !x->isTuple()))
    failCompare(sign, a, b);
  for (size_t i = 0; i < std::min(x->items.size(), y->items.size()); ++i)
    if (!areEqual(x->items[i], y->items[i]))
      return isInOrder(x->items[i], y->items[i], orEqual);
  return orEqual ? x->items.size() <= y->items.size()
                 : x->items.size() < y->items.size();
}

} // namespace

bool areEqual(const Value &a, const Value &b) {
  step();
  if (auto order = ofNumbers(a, b))
    return *order == 0;
  if (a.kind() != b.kind())
    return false;
  if (const Text *text = a.text())
    return text == b.text() || *text == *b.text();
  if (a.list())
    return areEqualLists(a, b);
  if (const Dict *dict = a.dict())
    return areEqualDicts(*dict, *b.dict());
  return a.callable() == b.callable() && a.space() == b.space() &&
         a.loop() == b.loop();
}

bool isLess(const Value &a, const Value &b) { return isInOrder(a, b, false); }
bool isAtMost(const Value &a, const Value &b) { return isInOrder(a, b, true); }

bool contains(const Value &container, const Value &what) {
  if (container.isUndefined())
    return false;
  if (const Text *text = container.text()) {
    if (!what.text())
      fail("'in' a string needs a string, not {}", typeName(what));
    return findIn(text->bytes, what.text()->bytes) != std::string::npos;
  }
  if (const List *list = container.list()) {
    if (list->kind == ListKind::Keys)
      (void)hashOf(what); // throws if it cannot be a key
    if (!list->isIterator())
      return std::ranges::any_of(
          list->items, [&](const Value &item) { return areEqual(item, what); });
    while (auto item = firstOf(container))
      if (areEqual(*item, what))
        return true;
    return false;
  }
  if (const Dict *dict = container.dict())
    return dict->find(what) != nullptr;
  fail("'in' needs a list, a dict or a string, not {}", typeName(container));
}

} // namespace transfold::runtime::chat
