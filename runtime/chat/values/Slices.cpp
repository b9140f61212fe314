// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// object[index] and object[first:end:step] of texts and lists.

#include "base/Error.h"
#include "runtime/chat/values/Operators.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// Indices first, first + by, … up to but not including `last`.
struct Places {
  int64_t first, last, by;

  Places(int64_t count, const SliceBounds &bounds)
      : first(0), last(0),
        by(std::clamp(bounds.step.value_or(1), -INT64_MAX, INT64_MAX)) {
    if (by == 0)
      fail("a slice needs a step that is not 0");
    auto inside = [&](std::optional<int64_t> place, int64_t otherwise) {
      int64_t least = by > 0 ? 0 : -1, most = by > 0 ? count : count - 1;
      if (!place)
        return otherwise;
      return std::clamp(*place < 0 ? *place + count : *place, least, most);
    };
    first = inside(bounds.first, by > 0 ? 0 : count - 1);
    last = inside(bounds.end, by > 0 ? count : -1);
  }

  template <typename Take> void each(const Take &take) const {
    for (int64_t i = first; by > 0 ? i < last : i > last;) {
      step();
      take(static_cast<size_t>(i));
      if (__builtin_add_overflow(i, by, &i))
        break;
    }
  }
};

/// A slice by code points; with step 1 it is copied as a whole.
Text sliceOfText(const Text &text, const SliceBounds &bounds) {
  Places places(static_cast<int64_t>(text.length()), bounds);
  if (places.by == 1) {
    if (places.first >= places.last)
      return {};
    size_t begin = text.placeOf(static_cast<size_t>(places.first));
    size_t end = text.placeOf(static_cast<size_t>(places.last));
    return text.substr(begin, end - begin);
  }
  CountedVector<size_t> begins;
  work(text.size());
  for (size_t i = 0; i < text.size(); ++i)
    if ((text.bytes[i] & 0xc0) != 0x80)
      begins.push_back(i);
  begins.push_back(text.size());
  Text part;
  places.each(
      [&](size_t at) { part.append(text, begins[at], begins[at + 1]); });
  return part;
}

/// first + times · by. Throws Error if it is too large.
Integer multipleAfter(Integer first, Integer times, Integer by) {
  Integer product, sum;
  if (__builtin_mul_overflow(times, by, &product) ||
      __builtin_add_overflow(first, product, &sum))
    failLarge();
  return sum;
}

/// The slice of a list, a tuple or a range has the kind of the whole.
Value sliceOfList(const List &list, const SliceBounds &bounds) {
  Places places(static_cast<int64_t>(list.items.size()), bounds);
  List part;
  part.kind = list.kind;
  places.each([&](size_t at) { part.items.push_back(list.items[at]); });
  // A range stores its bounds.
  part.first = multipleAfter(list.first, places.first, list.by);
  part.end = multipleAfter(list.first, places.last, list.by);
  part.by = multipleAfter(0, places.by, list.by);
  return Value::list(std::move(part));
}

} // namespace

Value sliceOf(const Value &object, const SliceBounds &bounds) {
  if (const Text *text = object.text())
    return sliceOfText(*text, bounds);
  if (const List *list = object.list(); list && list->isSequence())
    return sliceOfList(*list, bounds);
  fail("{} has no slices",
       object.isUndefined() ? object.undefinedName() : typeName(object));
}

std::optional<Value> itemAt(const Value &object, Integer index) {
  const List *list = object.list();
  const Text *text = object.text();
  auto count = static_cast<Integer>(text ? text->length() : list->items.size());
  Integer at = index < 0 ? index + count : index;
  if (at < 0 || at >= count)
    return std::nullopt;
  auto place = static_cast<size_t>(at);
  if (list)
    return list->items[place];
  size_t begin = text->placeOf(place), end = begin;
  nextCodePoint(text->bytes, end);
  return text->substr(begin, end - begin);
}

} // namespace transfold::runtime::chat
