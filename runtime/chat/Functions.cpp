// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the environment in which transformers renders templates.

#include "runtime/Error.h"
#include "runtime/chat/Builtin.h"

namespace transfold::runtime::chat {

namespace {

Value range(Machine &machine, const Bound &given) {
  int64_t first = given.integer(0, 0), end = given.integer(1, 0),
          step = given.integer(2, 1);
  if (!given.has(1))
    std::swap(first, end);
  if (step == 0)
    fail("'range' needs a step that is not 0");
  constexpr size_t most = 100'000; // as in jinja2's sandbox
  std::vector<Value> numbers;
  for (int64_t i = first; step > 0 ? i < end : i > end;) {
    if (numbers.size() == most)
      fail("a range has more than {} numbers", most);
    numbers.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  machine.budget.step(numbers.size());
  machine.budget.make(numbers.size() * sizeof(Value));
  return Value::list(std::move(numbers));
}

/// Entries of a dict, or pairs, as dict() and namespace() take them first.
template <typename Put>
void takeEntries(Machine &machine, const Bound &given, const Put &put) {
  if (given.has(0)) {
    const Dict *dict = given[0].dict();
    for (const Value &item : itemsOf(given[0], machine.budget)) {
      const List *pair = item.list();
      if (dict)
        put(item, *dict->find(item));
      else if (pair && pair->items.size() == 2)
        put(pair->items[0], pair->items[1]);
      else
        fail("needs a dict, or a list of pairs");
    }
  }
  for (const auto &[name, value] : given.rest.named)
    put(Value::text(name), value);
}

Value dict(Machine &machine, const Bound &given) {
  std::vector<std::pair<Value, Value>> entries;
  takeEntries(machine, given, [&](const Value &key, const Value &value) {
    for (auto &[known, old] : entries)
      if (areEqual(known, key, machine.budget)) {
        old = value;
        return;
      }
    entries.emplace_back(key, value);
  });
  return Value::dict(std::move(entries));
}

Value makeNamespace(Machine &machine, const Bound &given) {
  Namespace *made = machine.makeNamespace();
  takeEntries(machine, given, [&](const Value &key, const Value &value) {
    made->set(needText(key, "a namespace").bytes, value);
  });
  return made;
}

Value raise(Machine &machine, const Bound &given) {
  fail("the template does not accept the conversation: {}",
       asText(given[0], machine.budget).bytes);
}

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
