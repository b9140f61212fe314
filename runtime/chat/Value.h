// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a template, as Python has them: none changes once it is made,
// except namespaces and loops.

#ifndef TRANSFOLD_RUNTIME_CHAT_VALUE_H
#define TRANSFOLD_RUNTIME_CHAT_VALUE_H

#include "runtime/chat/Limits.h"
#include "runtime/chat/Text.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace transfold::runtime::chat {

class Value;
struct List;
struct Dict;
struct Namespace;
struct Loop;
struct Callable;

struct Undefined {
  std::string what; // "'tools'", for messages
};
struct None {};

class Value {
public:
  using Variant =
      std::variant<Undefined, None, bool, int64_t, double,
                   std::shared_ptr<const Text>, std::shared_ptr<const List>,
                   std::shared_ptr<const Dict>, std::shared_ptr<const Callable>,
                   Namespace *, Loop *>;

  Value() : held(Undefined{"the value"}) {}
  Value(Undefined undefined) : held(std::move(undefined)) {}
  Value(None none) : held(none) {}
  Value(bool value) : held(value) {}
  Value(int64_t value) : held(value) {}
  Value(double value) : held(value) {}
  Value(Text text) : held(std::make_shared<const Text>(std::move(text))) {}
  Value(std::shared_ptr<const Callable> value) : held(std::move(value)) {}
  Value(Namespace *value) : held(value) {}
  Value(Loop *value) : held(value) {}
  Value(const char *) = delete;
  static Value text(std::string_view text) { return Value(Text(text)); }
  /// Throws Error where containers are nested too deep.
  static Value list(std::vector<Value> items, bool isTuple = false);
  static Value dict(std::vector<std::pair<Value, Value>> entries);

  bool isUndefined() const { return is<Undefined>(); }
  bool isNone() const { return is<None>(); }
  bool isTrueOrFalse() const { return is<bool>(); }
  bool isInteger() const { return is<int64_t>(); }
  bool isNumber() const { return is<int64_t>() || is<double>() || is<bool>(); }
  const bool *boolean() const { return std::get_if<bool>(&held); }
  const double *real() const { return std::get_if<double>(&held); }
  const Text *text() const { return pointer<Text>(); }
  const List *list() const { return pointer<List>(); }
  const Dict *dict() const { return pointer<Dict>(); }
  const Callable *callable() const { return pointer<Callable>(); }
  Namespace *space() const {
    auto *found = std::get_if<Namespace *>(&held);
    return found ? *found : nullptr;
  }
  Loop *loop() const {
    auto *found = std::get_if<Loop *>(&held);
    return found ? *found : nullptr;
  }
  const std::string &undefinedName() const {
    return std::get<Undefined>(held).what;
  }
  /// Of an integer, or of True and False, which are 1 and 0.
  std::optional<int64_t> integer() const;
  /// Of any number.
  std::optional<double> number() const;
  size_t kind() const { return held.index(); }

private:
  Variant held;

  template <typename T> bool is() const {
    return std::holds_alternative<T>(held);
  }
  template <typename T> const T *pointer() const {
    auto *found = std::get_if<std::shared_ptr<const T>>(&held);
    return found ? found->get() : nullptr;
  }
};

/// Containers are not nested deeper: what goes through them calls itself.
inline constexpr unsigned mostNested = 100;

struct List {
  std::vector<Value> items;
  bool isTuple = false;
  unsigned depth = 1;
};

/// In the order in which keys came.
struct Dict {
  std::vector<std::pair<Value, Value>> entries;
  unsigned depth = 1;

  const Value *find(const Value &key) const;
  const Value *find(std::string_view key) const;
};

/// What namespace(…) makes: its attributes can be set from within loops.
struct Namespace {
  std::vector<std::pair<std::string, Value>> attributes;

  Value *find(std::string_view name);
  void set(std::string_view name, Value value);
};

/// "str", "int", as Python's messages name them.
std::string_view typeName(const Value &value);
/// What `if` asks.
bool isTrue(const Value &value);
/// ==. Throws Error where it takes too long, as all below.
bool areEqual(const Value &a, const Value &b, Budget &budget);
/// <. Throws Error for what has no order.
bool isLess(const Value &a, const Value &b, Budget &budget);
/// `what in container`.
bool contains(const Value &container, const Value &what, Budget &budget);
/// str(value): what is printed, "" for what is undefined.
Text asText(const Value &value, Budget &budget);
/// repr(value): strings in quotes.
Text asLiteral(const Value &value, Budget &budget);
/// repr(number)
std::string spelled(double number);
/// The items that a loop goes through. Throws Error where there are none.
std::vector<Value> itemsOf(const Value &value, Budget &budget);
/// len(value). Throws Error.
size_t lengthOf(const Value &value);

/// Texts in it come from a message; the roles of messages are the template's
/// where they are one word. Throws Error where it is nested too deep, and for
/// bytes that are not UTF-8.
Value fromJson(const nlohmann::ordered_json &json, Origin origin);
/// json.dumps. Throws Error for what JSON does not have.
struct JsonStyle {
  std::optional<std::string> indent; // of each level; none: in one line
  std::string comma = ", ", colon = ": ";
  bool sortKeys = false, onlyAscii = false;
};
Text asJson(const Value &value, const JsonStyle &style, Budget &budget);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_VALUE_H
