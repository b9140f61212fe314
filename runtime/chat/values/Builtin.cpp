// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds builtins by name, and binds arguments to parameters. Signatures are
// parsed for each call: they are short, and the tables need no initialization.

#include "runtime/chat/values/Builtin.h"

#include "base/Error.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// A parameter of a signature.
struct Parameter {
  std::string_view name;
  bool isOptional = false;
};

/// A parsed signature.
struct Signature {
  std::vector<Parameter> parameters;
  bool takesMore = false;

  explicit Signature(std::string_view text) {
    while (!text.empty()) {
      std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(word.size() + 1, text.size()));
      if (word == "*")
        takesMore = true;
      else if (word.ends_with('?'))
        parameters.push_back({word.substr(0, word.size() - 1), true});
      else
        parameters.push_back({word});
    }
  }
  size_t indexOf(std::string_view name) const {
    auto found = std::ranges::find(parameters, name, &Parameter::name);
    return static_cast<size_t>(found - parameters.begin());
  }
};

/// The builtin of that name in one of the tables; null if there is none.
const Builtin *findIn(std::initializer_list<std::span<const Builtin>> tables,
                      std::string_view name) {
  for (std::span<const Builtin> table : tables)
    for (const Builtin &builtin : table)
      if (builtin.name == name)
        return &builtin;
  return nullptr;
}

/// The names in several tables, sorted, each once.
std::vector<std::string_view>
namesOf(std::initializer_list<std::span<const Builtin>> tables) {
  std::vector<std::string_view> names;
  for (std::span<const Builtin> table : tables)
    for (const Builtin &builtin : table)
      names.push_back(builtin.name);
  std::ranges::sort(names);
  auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

} // namespace

const Builtin *findFilter(std::string_view name) {
  return findIn({textFilters, listFilters, numberFilters}, name);
}
const Builtin *findTest(std::string_view name) {
  return findIn({allTests}, name);
}
const Builtin *findFunction(std::string_view name) {
  return findIn({allFunctions}, name);
}
const Builtin *findMethod(const Value &object, std::string_view name) {
  if (object.text())
    return findIn({stringMethods, stringForms}, name);
  if (object.dict())
    return findIn({dictMethods}, name);
  if (const List *list = object.list())
    return list->kind == ListKind::List ? findIn({listMethods}, name)
           : list->isSequence()         ? findIn({sequenceMethods}, name)
                                        : nullptr;
  if (object.loop())
    return findIn({loopMethods}, name);
  return nullptr;
}
bool isMethod(std::string_view name) {
  return findIn(
      {stringMethods, stringForms, dictMethods, listMethods, loopMethods},
      name);
}

std::vector<std::string_view> filterNames() {
  return namesOf({textFilters, listFilters, numberFilters});
}
std::vector<std::string_view> testNames() { return namesOf({allTests}); }
std::vector<std::string_view> functionNames() {
  return namesOf({allFunctions});
}
std::vector<std::string_view> methodNames() {
  return namesOf(
      {stringMethods, stringForms, dictMethods, listMethods, loopMethods});
}

std::string problemOf(const Builtin &builtin, size_t positional,
                      std::span<const std::string_view> named) {
  Signature signature(builtin.parameters);
  const std::vector<Parameter> &parameters = signature.parameters;
  if (positional > parameters.size() && !signature.takesMore)
    return fmt::format("'{}' takes at most {} arguments, not {}", builtin.name,
                       parameters.size() - 1, positional - 1);
  for (std::string_view name : named) {
    size_t index = signature.indexOf(name);
    if (index == parameters.size() && !signature.takesMore)
      return fmt::format("'{}' has no parameter '{}'", builtin.name, name);
    if (index < std::min(positional, parameters.size()))
      return fmt::format("'{}' has '{}' twice", builtin.name, name);
  }
  for (size_t i = positional; i < parameters.size(); ++i)
    if (!parameters[i].isOptional &&
        std::ranges::find(named, parameters[i].name) == named.end())
      return fmt::format("'{}' needs '{}'", builtin.name, parameters[i].name);
  return "";
}

Value call(const Builtin &builtin, Machine &machine, Given given) {
  std::vector<std::string_view> names;
  for (const auto &[name, value] : given.named)
    names.emplace_back(name);
  if (std::string problem = problemOf(builtin, given.positional.size(), names);
      !problem.empty())
    throw Error(problem);
  Signature signature(builtin.parameters);
  Bound bound;
  bound.values.resize(signature.parameters.size());
  for (size_t i = 0; i < given.positional.size(); ++i)
    if (i < bound.values.size())
      bound.values[i] = std::move(given.positional[i]);
    else
      bound.rest.positional.push_back(std::move(given.positional[i]));
  for (auto &[name, value] : given.named)
    if (size_t index = signature.indexOf(name); index < bound.values.size())
      bound.values[index] = std::move(value);
    else
      bound.rest.named.emplace_back(name, std::move(value));
  machine.budget.step();
  return builtin.apply(machine, bound);
}

int64_t Bound::integer(size_t index, int64_t otherwise) const {
  if (!has(index) || (*this)[index].isNone())
    return otherwise;
  if (auto value = (*this)[index].integer())
    return narrowed(*value);
  fail("needs an integer, not {}", typeName((*this)[index]));
}

bool Bound::isTrue(size_t index, bool otherwise) const {
  return has(index) ? chat::isTrue((*this)[index]) : otherwise;
}

std::string_view Bound::text(size_t index, std::string_view otherwise) const {
  return has(index) ? needText((*this)[index], "an argument").view()
                    : otherwise;
}

const Text &needText(const Value &value, std::string_view what) {
  if (const Text *text = value.text())
    return *text;
  if (value.isUndefined())
    fail("{} is undefined", value.undefinedName());
  fail("{} needs a string, not {}", what, typeName(value));
}

} // namespace transfold::runtime::chat
