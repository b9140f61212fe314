// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a template, as Python has them: none changes once it is made,
// except namespaces, loops, and what is gone through once.

#ifndef TRANSFOLD_RUNTIME_CHAT_VALUES_VALUE_H
#define TRANSFOLD_RUNTIME_CHAT_VALUES_VALUE_H

#include "runtime/chat/text/Text.h"
#include "runtime/chat/values/Integer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace transfold::runtime::chat {

class Value;
struct List;
struct Dict;
struct Namespace;
struct Loop;
struct Callable;
using Values = CountedVector<Value>;

struct Undefined {
  std::shared_ptr<const std::string> what; // "'tools'", for messages

  explicit Undefined(std::string what)
      : what(std::make_shared<const std::string>(std::move(what))) {}
};
struct None {};

enum class ListKind {
  List,
  Tuple,
  Range,
  Keys, // of a dict, and the two below
  Values,
  Items,
  Iterator, // what is gone through once: of map, select, reverse, …
};

class Value {
public:
  using Variant =
      std::variant<Undefined, None, bool, Integer, double,
                   std::shared_ptr<const Text>, std::shared_ptr<const List>,
                   std::shared_ptr<const Dict>, std::shared_ptr<const Callable>,
                   Namespace *, std::shared_ptr<Loop>>;

  Value() : held(None{}) {}
  Value(Undefined undefined) : held(std::move(undefined)) {}
  Value(None none) : held(none) {}
  Value(bool value) : held(value) {}
  Value(Integer value) : held(value) {}
  Value(int64_t value) : held(Integer{value}) {}
  Value(double value) : held(value) {}
  Value(Text text) : held(makeCounted(std::move(text))) {}
  Value(std::shared_ptr<const Callable> value) : held(std::move(value)) {}
  Value(Namespace *value) : held(value) {}
  Value(std::shared_ptr<Loop> value) : held(std::move(value)) {}
  Value(const char *) = delete;
  static Value text(std::string_view text) { return Value(Text(text)); }
  static Value count(size_t count) {
    return Value(static_cast<Integer>(count));
  }
  /// Throws Error where containers are nested too deep.
  static Value list(Values items, ListKind kind = ListKind::List);
  static Value tuple(Values items) {
    return list(std::move(items), ListKind::Tuple);
  }
  static Value iterator(Values items) {
    return list(std::move(items), ListKind::Iterator);
  }
  static Value list(List list);
  static Value dict(Dict dict);

  bool isUndefined() const { return is<Undefined>(); }
  bool isNone() const { return is<None>(); }
  bool isInteger() const { return is<Integer>(); }
  bool isNumber() const { return is<Integer>() || is<double>() || is<bool>(); }
  const bool *boolean() const { return std::get_if<bool>(&held); }
  const double *real() const { return std::get_if<double>(&held); }
  const Text *text() const { return pointer<const Text>(); }
  const List *list() const { return pointer<const List>(); }
  const Dict *dict() const { return pointer<const Dict>(); }
  const Callable *callable() const { return pointer<const Callable>(); }
  Loop *loop() const { return pointer<Loop>(); }
  Namespace *space() const {
    auto *found = std::get_if<Namespace *>(&held);
    return found ? *found : nullptr;
  }
  /// What is said of an undefined one.
  const std::string &undefinedName() const {
    return *std::get<Undefined>(held).what;
  }
  /// Of an integer, or of True and False, which are 1 and 0.
  std::optional<Integer> integer() const;
  /// Of any number.
  std::optional<double> number() const;
  size_t kind() const { return held.index(); }

private:
  Variant held;

  template <typename T> bool is() const {
    return std::holds_alternative<T>(held);
  }
  template <typename T> T *pointer() const {
    auto *found = std::get_if<std::shared_ptr<T>>(&held);
    return found ? found->get() : nullptr;
  }
};

/// Containers are not nested deeper: what goes through them calls itself.
inline constexpr unsigned mostNested = 100;

struct List {
  Values items;
  ListKind kind = ListKind::List;
  unsigned depth = 1;
  bool isGroup = false; // a tuple of groupby: its parts have names
  Integer first = 0, end = 0, by = 1; // of a range
  mutable size_t taken = 0;           // of an iterator: items that are gone

  bool isTuple() const { return kind == ListKind::Tuple; }
  bool isIterator() const { return kind == ListKind::Iterator; }
  /// Whether it has items by their index.
  bool isSequence() const {
    return kind == ListKind::List || isTuple() || kind == ListKind::Range;
  }
};

/// In the order in which keys came.
struct Dict {
  using Entry = std::pair<Value, Value>;
  CountedVector<Entry> entries;
  unsigned depth = 1;

  /// Null where there is no such key. Throws Error for what cannot be one.
  const Value *find(const Value &key) const;
  const Value *find(std::string_view key) const;
  /// Adds an entry, or gives the one that has the key another value.
  void set(Value key, Value value);

private:
  /// Places of entries by the hash of their key, + 1; of large ones only.
  CountedVector<uint32_t> slots;

  template <typename Fits>
  const Entry *lookUp(size_t hash, const Fits &fits) const;
  void addSlot(size_t hash, size_t place);
};

/// hash(value): equal for equal ones. Throws Error for lists and dicts.
size_t hashOf(const Value &value);

/// What namespace(…) makes: its attributes can be set from within loops.
struct Namespace {
  CountedVector<std::pair<CountedString, Value>> attributes;

  Value *find(std::string_view name);
  void set(std::string_view name, Value value);
};

/// "str", "int", as Python's messages name them.
std::string_view typeName(const Value &value);
/// A name from a template or a message in a message of ours: not all of it
/// where it is long.
std::string shown(std::string_view name);
/// What `if` asks.
bool isTrue(const Value &value);
/// ==. Throws Error where it takes too long, as all below.
bool areEqual(const Value &a, const Value &b);
/// <, and <=. Throw Error for what has no order.
bool isLess(const Value &a, const Value &b);
bool isAtMost(const Value &a, const Value &b);
/// `what in container`.
bool contains(const Value &container, const Value &what);
/// str(value): what is printed, "" for what is undefined.
Text asText(const Value &value);
/// repr(value): strings in quotes. With `onlyAscii` as ascii(value).
Text asLiteral(const Value &value, bool onlyAscii = false);
/// repr(number)
std::string spelled(double number);
/// The items that a loop goes through; an iterator has none of them left.
/// Throws Error where there are none.
Values itemsOf(const Value &value);
/// Takes the next item of an iterator, and the first one of anything else.
std::optional<Value> firstOf(const Value &value);
/// len(value). Throws Error.
size_t lengthOf(const Value &value);

struct JsonStyle {
  std::optional<std::string> indent; // of each level; none: in one line
  std::string comma = ", ", colon = ": ";
  bool sortKeys = false, onlyAscii = false;
};
/// json.dumps. Throws Error for what JSON does not have.
Text asJson(const Value &value, const JsonStyle &style);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_VALUES_VALUE_H
