// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a template, with Python's semantics: they are immutable, except for
// namespaces, loops and iterators.

#pragma once

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

/// An undefined value, with its name for messages.
struct Undefined {
  std::shared_ptr<const std::string> what; // "'tools'", for messages

  explicit Undefined(std::string what)
      : what(std::make_shared<const std::string>(std::move(what))) {}
};
/// Python's None.
struct None {};

/// The kinds of sequences, which differ in their operators and text form.
enum class ListKind {
  List,
  Tuple,
  Range,
  Keys, // of a dict, as the two below
  Values,
  Items,
  Iterator, // can be iterated once: results of map, select, reverse, …
};

/// A value. Copies share the contents.
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
  /// Throws Error if containers are nested too deeply.
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
  /// Name of an undefined value, for messages.
  const std::string &undefinedName() const {
    return *std::get<Undefined>(held).what;
  }
  /// The value of an integer, or of True and False, which are 1 and 0.
  std::optional<Integer> integer() const;
  /// The value of any number.
  std::optional<double> number() const;
  /// Index of the alternative: equal for values of the same type, except that
  /// all sequences are one type.
  size_t kind() const { return held.index(); }

private:
  /// Containers are shared and constant; a namespace belongs to the
  /// interpreter.
  Variant held;

  template <typename T> bool is() const {
    return std::holds_alternative<T>(held);
  }
  template <typename T> T *pointer() const {
    auto *found = std::get_if<std::shared_ptr<T>>(&held);
    return found ? found->get() : nullptr;
  }
};

/// Maximum nesting of containers, since functions on them are recursive.
inline constexpr unsigned mostNested = 100;

/// A sequence of any kind.
struct List {
  Values items;
  ListKind kind = ListKind::List;
  unsigned depth = 1;
  bool isGroup = false; // a tuple of groupby, whose parts have names
  Integer first = 0, end = 0, by = 1; // of a range
  mutable size_t taken = 0; // of an iterator: number of items consumed

  bool isTuple() const { return kind == ListKind::Tuple; }
  bool isIterator() const { return kind == ListKind::Iterator; }
  /// Whether it has items by index.
  bool isSequence() const {
    return kind == ListKind::List || isTuple() || kind == ListKind::Range;
  }
};

/// A dict; entries are in insertion order.
struct Dict {
  using Entry = std::pair<Value, Value>;
  CountedVector<Entry> entries;
  unsigned depth = 1;

  /// Null if there is no such key. Throws Error if the value cannot be a key.
  const Value *find(const Value &key) const;
  const Value *find(std::string_view key) const;
  /// Adds an entry, or replaces the value of an existing key.
  void set(Value key, Value value);

private:
  /// Indices of entries + 1, by the hash of their key; used for large dicts
  /// only.
  CountedVector<uint32_t> slots;

  template <typename Fits>
  const Entry *lookUp(size_t hash, const Fits &fits) const;
  /// Enters entry `place` into the hash table.
  void addSlot(size_t hash, size_t place);
};

/// hash(value): equal for equal values. Throws Error for lists and dicts.
size_t hashOf(const Value &value);

/// The result of namespace(…): its attributes can be set inside loops.
struct Namespace {
  CountedVector<std::pair<CountedString, Value>> attributes;

  Value *find(std::string_view name);
  /// Adds or changes an attribute. Throws Error if its name begins with '_'.
  void set(std::string_view name, Value value);
};

/// The type of a value as in Python's messages: "str", "int".
std::string_view typeName(const Value &value);
/// A name from a template or a message, for our messages: truncated if it is
/// long.
std::string shown(std::string_view name);
/// The truth value, as for `if`.
bool isTrue(const Value &value);
/// ==. Throws Error if it takes too long, as do all functions below.
bool areEqual(const Value &a, const Value &b);
/// a < b. Throws Error for values without an order.
bool isLess(const Value &a, const Value &b);
/// a <= b. Throws Error for values without an order.
bool isAtMost(const Value &a, const Value &b);
/// `what in container`.
bool contains(const Value &container, const Value &what);
/// str(value): the printed form; "" for undefined values.
Text asText(const Value &value);
/// repr(value): strings in quotes. With `onlyAscii`, ascii(value).
Text asLiteral(const Value &value, bool onlyAscii = false);
/// repr(number).
std::string spelled(double number);
/// The items for a loop; consumes an iterator. Throws Error if the value is not
/// iterable.
Values itemsOf(const Value &value);
/// Consumes and returns the next item of an iterator; the first item of other
/// values.
std::optional<Value> firstOf(const Value &value);
/// len(value). Throws Error if it has none.
size_t lengthOf(const Value &value);

/// Options of asJson(), those of json.dumps.
struct JsonStyle {
  std::optional<std::string> indent; // for each level; nullopt: a single line
  std::string comma = ", ", colon = ": ";
  bool sortKeys = false, onlyAscii = false;
};
/// json.dumps. Throws Error for values that JSON cannot represent.
Text asJson(const Value &value, const JsonStyle &style);

} // namespace transfold::runtime::chat
