// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters, tests, methods and functions for templates: each is a record with
// its name and its parameters. The compiler reports unknown names in a
// template, the interpreter calls the functions.

#pragma once

#include "runtime/chat/values/Value.h"

#include <ctime>
#include <span>

namespace transfold::runtime::chat {

/// The arguments of a call: the value that is filtered or tested, or the object
/// of a method, comes first.
struct Given {
  Values positional = {};
  CountedVector<std::pair<CountedString, Value>> named = {};
};

/// The arguments by parameter.
struct Bound {
  CountedVector<std::optional<Value>> values;
  Given rest; // of a signature with `*`

  bool has(size_t index) const { return values[index].has_value(); }
  const Value &operator[](size_t index) const { return *values[index]; }
  /// The value of a parameter, or `otherwise` if it was not given. Throw Error
  /// for values of another type. An integer is a count or an index; values
  /// beyond 64 bits are clamped.
  int64_t integer(size_t index, int64_t otherwise) const;
  bool isTrue(size_t index, bool otherwise) const;
  std::string_view text(size_t index, std::string_view otherwise) const;
};

/// The functions of the interpreter that builtins use.
class Machine {
public:
  explicit Machine(Budget &budget) : budget(budget) {}
  virtual ~Machine() = default;
  /// Calls a filter or a test by its name. Throws Error if there is none.
  virtual Value applyFilter(std::string_view name, Given given) = 0;
  virtual bool applyTest(std::string_view name, Given given) = 0;
  /// object.name and object[index], with the lookup rules of templates.
  virtual Value attribute(const Value &object, std::string_view name) = 0;
  virtual Value item(const Value &object, const Value &index) = 0;
  /// A new namespace, which lives until the end of the rendering.
  virtual Namespace *makeNamespace() = 0;
  /// The time of the rendering.
  virtual std::tm now() const = 0;

  Budget &budget;
};

/// A filter, test, method or function.
struct Builtin {
  std::string_view name;
  /// Parameters: "value old new count?"; `?` marks optional ones, `*` accepts
  /// any further arguments.
  std::string_view parameters;
  Value (*apply)(Machine &machine, const Bound &given);
};

/// The filter of that name; null if there is none.
const Builtin *findFilter(std::string_view name);
/// The test of that name; null if there is none.
const Builtin *findTest(std::string_view name);
/// The function of that name; null if there is none.
const Builtin *findFunction(std::string_view name);
/// A method of a string, a dict, a list or a loop; the first parameter is the
/// object.
const Builtin *findMethod(const Value &object, std::string_view name);
/// Whether any type has a method of that name.
bool isMethod(std::string_view name);

/// The names of all filters, for messages.
std::vector<std::string_view> filterNames();
/// The names of all tests.
std::vector<std::string_view> testNames();
/// The names of all functions.
std::vector<std::string_view> functionNames();
/// The names of the methods of all types.
std::vector<std::string_view> methodNames();

/// Checks a call with `positional` positional arguments, the object included,
/// and the named ones. Returns an empty text if the call is valid; else what is
/// wrong with it.
std::string problemOf(const Builtin &builtin, size_t positional,
                      std::span<const std::string_view> named);
/// Calls a builtin. Throws Error if the arguments do not fit its parameters.
Value call(const Builtin &builtin, Machine &machine, Given given);

// The tables of builtins.
extern const std::span<const Builtin> textFilters, listFilters, numberFilters,
    allTests, stringMethods, stringForms, dictMethods, listMethods,
    sequenceMethods, loopMethods, allFunctions;

/// The value for a filter's parameter `attribute`: "function.name" stands for
/// nested attributes, numbers are indices. If an attribute is undefined, the
/// result is `otherwise`.
Value attributeAt(Machine &machine, Value object, const Value &path,
                  const Value *otherwise = nullptr);
/// The string in `value`. Throws Error if it is not a string.
const Text &needText(const Value &value, std::string_view what);
/// Removes characters at both ends: white space, or those in `characters`.
Text stripped(const Text &text, const Value *characters, bool left, bool right);
/// Replaces each `old`, or the first `count` ones, by `replacement`.
Text replaced(const Text &text, const Text &old, const Text &replacement,
              int64_t count);
/// The items as one text, separated by `between`.
Text joined(const Values &items, const Text &between, bool onlyTexts);
/// Splits a text into lines, with their line breaks or without.
Values linesOf(const Text &text, bool withEnds);
/// "%s has %d" % (value, value), or % value.
Text formatted(const Text &form, const Value &given);
/// "{} has {}".format(values)
Text formattedBraces(const Text &form, Machine &machine, const Given &given);

} // namespace transfold::runtime::chat
