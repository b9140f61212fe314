// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters, tests, methods and functions that templates can use: each a record
// with its name and what it takes. The compiler notes which others a template
// names, the interpreter calls these.

#ifndef TRANSFOLD_RUNTIME_CHAT_VALUES_BUILTIN_H
#define TRANSFOLD_RUNTIME_CHAT_VALUES_BUILTIN_H

#include "runtime/chat/values/Value.h"

#include <ctime>
#include <span>

namespace transfold::runtime::chat {

/// What a call gives: the value that is filtered, tested or asked comes first.
struct Given {
  Values positional = {};
  CountedVector<std::pair<CountedString, Value>> named = {};
};

/// The same by parameter.
struct Bound {
  CountedVector<std::optional<Value>> values;
  Given rest; // of a signature with `*`

  bool has(size_t index) const { return values[index].has_value(); }
  const Value &operator[](size_t index) const { return *values[index]; }
  /// A parameter's number or string, or what it is where it was not given.
  /// Throw Error for values of another type. An integer is a count or a place,
  /// of which any that is too large does the same.
  int64_t integer(size_t index, int64_t otherwise) const;
  bool isTrue(size_t index, bool otherwise) const;
  std::string_view text(size_t index, std::string_view otherwise) const;
};

/// What builtins need of the interpreter.
class Machine {
public:
  explicit Machine(Budget &budget) : budget(budget) {}
  virtual ~Machine() = default;
  virtual Value applyFilter(std::string_view name, Given given) = 0;
  virtual bool applyTest(std::string_view name, Given given) = 0;
  /// object.name and object[index], as templates look them up.
  virtual Value attribute(const Value &object, std::string_view name) = 0;
  virtual Value item(const Value &object, const Value &index) = 0;
  virtual Namespace *makeNamespace() = 0;
  virtual std::tm now() const = 0;

  Budget &budget;
};

struct Builtin {
  std::string_view name;
  /// Parameters: "value old new count?"; `?` may be left out, `*` takes
  /// whatever else there is.
  std::string_view parameters;
  Value (*apply)(Machine &machine, const Bound &given);
};

/// By name; null where there is none.
const Builtin *findFilter(std::string_view name);
const Builtin *findTest(std::string_view name);
const Builtin *findFunction(std::string_view name);
/// Of a string, a dict, a list or a loop; each takes itself first.
const Builtin *findMethod(const Value &object, std::string_view name);
/// Of any of them.
bool isMethod(std::string_view name);

/// All names, for messages.
std::vector<std::string_view> filterNames();
std::vector<std::string_view> testNames();
std::vector<std::string_view> functionNames();
std::vector<std::string_view> methodNames();

/// How many values a builtin takes, itself included, and what they are called.
/// Empty where a call with so many and these names is right; else what is
/// wrong with it.
std::string problemOf(const Builtin &builtin, size_t positional,
                      std::span<const std::string_view> named);
/// Calls it. Throws Error where it does not take what is given.
Value call(const Builtin &builtin, Machine &machine, Given given);

// The tables.
extern const std::span<const Builtin> textFilters, listFilters, numberFilters,
    allTests, stringMethods, stringForms, dictMethods, listMethods,
    sequenceMethods, loopMethods, allFunctions;

/// What a filter's `attribute` names: "function.name" are attributes of
/// attributes, numbers are indices. What is undefined on the way becomes
/// `otherwise`.
Value attributeAt(Machine &machine, Value object, const Value &path,
                  const Value *otherwise = nullptr);
/// The string that `value` is. Throws Error where it is something else.
const Text &needText(const Value &value, std::string_view what);
/// Cuts off characters at both ends: white space, or those of `characters`.
Text stripped(const Text &text, const Value *characters, bool left, bool right);
/// Each `old`, or the first `count`, becomes `replacement`.
Text replaced(const Text &text, const Text &old, const Text &replacement,
              int64_t count);
/// The items as one text with `between` between them.
Text joined(const Values &items, const Text &between, bool onlyTexts);
/// Lines, with their ends or without.
Values linesOf(const Text &text, bool withEnds);
/// "%s has %d" % (value, value), or % value.
Text formatted(const Text &form, const Value &given);
/// "{} has {}".format(values)
Text formattedBraces(const Text &form, Machine &machine, const Given &given);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_VALUES_BUILTIN_H
