// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the environment in which transformers renders templates.

#include "base/Error.h"
#include "runtime/chat/values/Builtin.h"

namespace transfold::runtime::chat {

namespace {

/// range(end), range(start, end) or range(start, end, step), as a list of all
/// its numbers.
Value range(Machine &, const Bound &given) {
  auto number = [&](size_t index, Integer otherwise) {
    if (!given.has(index))
      return otherwise;
    auto value = given[index].integer();
    if (!value)
      fail("'range' needs integers, not {}", typeName(given[index]));
    return *value;
  };
  List range;
  range.kind = ListKind::Range;
  range.first = number(0, 0), range.end = number(1, 0), range.by = number(2, 1);
  if (!given.has(1))
    std::swap(range.first, range.end);
  if (range.by == 0)
    fail("'range' needs a step that is not 0");
  constexpr size_t most = 100'000; // as in jinja2's sandbox
  for (Integer i = range.first; range.by > 0 ? i < range.end : i > range.end;) {
    if (range.items.size() == most)
      fail("a range has more than {} numbers", most);
    range.items.emplace_back(i);
    // The next number would lie past the end in any case.
    if (__builtin_add_overflow(i, range.by, &i))
      break;
  }
  step(range.items.size());
  return Value::list(std::move(range));
}

/// The first argument of dict() and namespace(): a dict, or pairs.
template <typename Put> void takeEntries(const Bound &given, const Put &put) {
  if (given.has(0)) {
    const Dict *dict = given[0].dict();
    if (dict)
      for (const auto &[key, value] : dict->entries)
        put(key, value);
    else
      for (const Value &item : itemsOf(given[0])) {
        const List *pair = item.list();
        if (!pair || pair->items.size() != 2)
          fail("needs a dict, or a list of pairs");
        put(pair->items[0], pair->items[1]);
      }
  }
  for (const auto &[name, value] : given.rest.named)
    put(Value::text(name), value);
}

Value dict(Machine &, const Bound &given) {
  Dict dict;
  takeEntries(given, [&](const Value &key, const Value &value) {
    dict.set(key, value);
  });
  return Value::dict(std::move(dict));
}

/// The interpreter owns namespaces, since they may refer to each other.
Value makeNamespace(Machine &machine, const Bound &given) {
  Namespace *made = machine.makeNamespace();
  takeEntries(given, [&](const Value &key, const Value &value) {
    made->set(needText(key, "a namespace").bytes, value);
  });
  return made;
}

/// raise_exception(message), by which templates refuse a conversation.
Value raise(Machine &, const Bound &given) {
  fail("the template does not accept the conversation: {}",
       asText(given[0]).view());
}

/// strftime_now(format), with which templates state the date.
Value now(Machine &machine, const Bound &given) {
  std::string form(given.text(0, ""));
  std::tm time = machine.now();
  if (form.empty())
    return Text();
  if (form.size() > 1000)
    fail("'strftime_now' takes a short text");
  std::string result(form.size() * 64 + 64, '\0');
  result.resize(
      std::strftime(result.data(), result.size(), form.c_str(), &time));
  return Value::text(result);
}

constexpr Builtin table[] = {
    {"dict", "entries? *", dict},
    {"namespace", "entries? *", makeNamespace},
    {"raise_exception", "message", raise},
    {"range", "start stop? step?", range},
    {"strftime_now", "format", now},
};

} // namespace

constinit const std::span<const Builtin> allFunctions = table;

} // namespace transfold::runtime::chat
