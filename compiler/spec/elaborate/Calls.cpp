// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: functions, parts and entries are inlined. Shapes that their parameters
// and results state are checked; lengths take their value from the argument.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Support/SaveAndRestore.h>

#include <algorithm>

namespace transfold::spec {

/// All arguments are evaluated before the callee is known to accept them, so
/// that an error in an argument is reported as such.
Value Elaborator::call(const Expr &expr, const Environment *scope) {
  Value callee = evaluate(*expr.operands[0], scope);
  CallArguments arguments;
  for (size_t k = 1; k < expr.operands.size(); ++k) {
    const Expr &argument = *expr.operands[k];
    if (argument.kind == ExprKind::Named) {
      arguments.named[argument.text] = evaluate(*argument.operands[0], scope);
      continue;
    }
    arguments.exprs.push_back(expr.operands[k]);
    arguments.values.push_back(evaluate(argument, scope));
  }
  auto single = [&](std::vector<Value> values) {
    if (values.size() != 1)
      throw SpecError(Code::OneResult, expr.at,
                      fmt::format("this has {} results, but one is needed here",
                                  values.size()),
                      {}, expr.range);
    return values[0];
  };
  if (auto *builtin = callee.as<Builtin>()) {
    if (builtin->name != "error")
      return callBuiltin(builtin->name, arguments, expr);
    if (branches > 0)
      return StaticValue::unknown(); // whether the branch is taken is not known
    try {
      return callBuiltin(builtin->name, arguments, expr);
    } catch (const SpecError &error) {
      // A value that the text inserts may be `none` because a key is absent.
      throw error.withNotes(whyOperandsAreNone(expr, scope));
    }
  }
  if (!arguments.named.empty())
    throw SpecError(Code::ArgumentName, expr.at,
                    "arguments can be named in calls of primitives only", {},
                    expr.range);
  llvm::SaveAndRestore inlined(
      caller, std::make_shared<const CallSite>(CallSite{expr.at, caller}));
  if (auto *function = callee.as<FunctionClosure>())
    return callFunction(*function, arguments.values, expr);
  if (auto *part = callee.as<PartReference>())
    return single(callInstance(part->instance, arguments.values, expr));
  if (auto *entry = callee.as<EntryReference>())
    return single(
        callEntry(*entry->entry, entry->scope, arguments.values, expr));
  // A function defined for a container, without a checkpoint: the result is
  // unknown.
  if (auto *statics = callee.statics(); statics && statics->isUnknown())
    return StaticValue::unknown();
  std::string name = spec::text(*expr.operands[0]);
  if (callee.as<PartFamily>())
    throw SpecError(
        Code::NotCallable, expr.at,
        fmt::format("`{}` are several parts: call one, {}[l](…)", name, name),
        {}, expr.range);
  if (callee.as<Absent>())
    failAbsentPart(*callee.as<Absent>(), expr);
  throw SpecError(
      Code::NotCallable, expr.at,
      fmt::format("`{}` is {} and cannot be called", name, kindOf(callee)), {},
      expr.range);
}

/// Parameters without a default must be given.
void Elaborator::checkCount(const std::vector<Parameter> &parameters,
                            size_t given, const std::string &what,
                            const Expr &expr) {
  size_t least = 0, most = parameters.size();
  for (const Parameter &parameter : parameters)
    least += parameter.defaultValue == nullptr;
  needArguments(least, most, what, given, expr);
}

/// Checks the argument `x[n, d]` against its shape, and gives its axes the
/// names that they have inside the callee.
void Elaborator::bindParameter(const Parameter &parameter,
                               const Value &argument, Environment &scope,
                               const std::set<std::string> &fixed,
                               const std::string &callee, const Expr &expr,
                               std::map<std::string, std::string> &outerNames) {
  if (!parameter.dims || argument.as<Undetermined>()) {
    bind(scope, parameter.name, argument);
    return;
  }
  std::string declared = parameter.name + spec::text(*parameter.dims);
  const Tensor *tensor = argument.tensor();
  if (!tensor)
    throw SpecError(Code::ArgumentKind, expr.at,
                    fmt::format("{} takes {}, but this is {}", callee, declared,
                                kindOf(argument)),
                    {}, expr.range);
  auto mismatch = [&](const std::string &why) {
    std::string values = numbers(*tensor);
    throw SpecError(Code::ArgumentShape, expr.at,
                    fmt::format("the argument `{}` of {} has another shape",
                                parameter.name, callee),
                    {fmt::format("{} takes {}", callee, declared),
                     fmt::format("the argument is {}{}", shown(*tensor),
                                 values.empty() ? "" : "  " + values),
                     why},
                    expr.range);
  };
  if (tensor->rank() != parameter.dims->size())
    mismatch(fmt::format("{} axes ≠ {} axes", parameter.dims->size(),
                         tensor->rank()));
  Tensor renamed = *tensor;
  for (unsigned k = 0; k < tensor->rank(); ++k) {
    const Expr &dim = *(*parameter.dims)[k];
    const Axis &axis = tensor->axis(k);
    std::string name = spec::text(dim);
    bool free = dim.kind == ExprKind::Name && !fixed.count(name) &&
                !scope.names.count(name) &&
                (isFreeSize(name, &scope) || !find(name, &scope));
    if (free) {
      bind(scope, name, StaticValue::ofSize(axis.size));
    } else {
      Dim wanted = size(dim, &scope);
      if (!symbols.same(wanted, axis.size))
        mismatch(
            fmt::format("{} = {} ≠ {}", name, symbols.show(wanted),
                        shown(axis) == symbols.show(axis.size)
                            ? shown(axis)
                            : shown(axis) + " = " + symbols.show(axis.size)));
    }
    outerNames.emplace(name, axis.name);
    renamed.axes[renamed.visible[k]].name = name;
  }
  bind(scope, parameter.name, renamed);
}

/// Whether `dim` is the name of a length that no parameter has.
bool Elaborator::isFreeLength(const Expr &dim, const Environment *scope) const {
  if (dim.kind != ExprKind::Name)
    return false;
  const std::string name = spec::text(dim);
  for (; scope && !scope->file; scope = scope->parent)
    if (scope->names.count(name))
      return false;
  return scope &&
         std::ranges::any_of(scope->file->lengths, [&](const auto &length) {
           return length.first == name;
         });
}

/// `scope` is that of the callee after its parameters were bound, so that the
/// sizes of the result may be lengths of its arguments.
Value Elaborator::checkResult(
    const std::vector<ExprPtr> &dims, const Value &value, Environment *scope,
    const std::string &what, Place place,
    const std::map<std::string, std::string> &outerNames) {
  const Tensor *tensor = value.tensor();
  std::string declared = spec::text(dims);
  if (value.as<Undetermined>())
    return value;
  if (!tensor)
    throw SpecError(
        Code::ArgumentKind, place,
        fmt::format("{} returns {}, not {}", what, kindOf(value), declared));
  bool same = tensor->rank() == dims.size();
  std::string why =
      fmt::format("{} axes ≠ {} axes", tensor->rank(), dims.size());
  for (unsigned k = 0; same && k < dims.size(); ++k) {
    if (isFreeLength(*dims[k], scope))
      bind(*scope, spec::text(*dims[k]),
           StaticValue::ofSize(tensor->axis(k).size));
    Dim wanted = size(*dims[k], scope);
    same = symbols.same(wanted, tensor->axis(k).size);
    why = fmt::format("{} ≠ {}", shown(tensor->axis(k)), spec::text(*dims[k]));
  }
  if (!same) {
    std::string values = numbers(*tensor);
    throw SpecError(
        Code::ResultShape, place,
        fmt::format("{} returns another shape than it states", what),
        {fmt::format("stated   {}", declared),
         fmt::format("returned {}{}", shown(*tensor),
                     values.empty() ? "" : "  " + values),
         why});
  }
  Tensor result = *tensor;
  for (unsigned k = 0; k < dims.size(); ++k) {
    std::string name = spec::text(*dims[k]);
    auto outer = outerNames.find(name);
    result.axes[result.visible[k]].name =
        outer == outerNames.end() ? name : outer->second;
  }
  return result;
}

/// The note on an error in another file's equations: the call that uses them.
static std::string usedBy(const std::string &who, const Expr &expr) {
  return fmt::format("used by {}, {}:{}", who, expr.at.source->path,
                     expr.at.line);
}

/// Whether `place` is in another file than `expr`.
static bool isOfOtherFile(const Place &place, const Expr &expr) {
  return expr.at.source && place.source && place.source != expr.at.source;
}

Value Elaborator::callFunction(const FunctionClosure &function,
                               const Arguments &arguments, const Expr &expr) {
  const Place &place = function.definition->place;
  try {
    return applyFunction(function, arguments, expr);
  } catch (const SpecError &error) {
    if (!isOfOtherFile(place, expr) ||
        error.first().at.source == expr.at.source)
      throw;
    throw error.withNotes({usedBy(spec::text(expr), expr)});
  }
}

Value Elaborator::applyFunction(const FunctionClosure &function,
                                const Arguments &arguments, const Expr &expr) {
  const Definition &definition = *function.definition;
  const auto &parameters = *definition.parameters;
  std::string what = fmt::format("`{}`", definition.name);
  checkCount(parameters, arguments.size(), what, expr);
  Environment *scope = newEnvironment(function.scope);
  std::map<std::string, std::string> outerNames;
  for (size_t k = 0; k < parameters.size(); ++k) {
    Value argument =
        k < arguments.size()
            ? arguments[k]
            : evaluate(*parameters[k].defaultValue, function.scope);
    bindParameter(parameters[k], argument, *scope, {}, what, expr, outerNames);
  }
  Value result;
  if (definition.indices.empty())
    result = evaluate(*definition.value, withWhere(definition, scope));
  else
    result = family(definition, scope);
  // Restores the names that the axes have at the caller.
  if (auto *tensor = result.tensor()) {
    Tensor renamed = *tensor;
    for (Axis &axis : renamed.axes)
      if (auto outer = outerNames.find(axis.name); outer != outerNames.end())
        axis.name = outer->second;
    return renamed;
  }
  return result;
}

/// A part's block as it is declared: rms_norm[d_k, ε].
static std::string partText(const Instance &instance) {
  std::vector<std::string> arguments;
  if (instance.part)
    for (const ExprPtr &argument : instance.part->arguments)
      arguments.push_back(spec::text(*argument));
  const std::string &block = instance.block->name;
  return arguments.empty()
             ? block
             : fmt::format("{}[{}]", block, fmt::join(arguments, ", "));
}

std::vector<Value> Elaborator::callInstance(const InstancePtr &instance,
                                            const Arguments &arguments,
                                            const Expr &expr) {
  const Block &block = *instance->block;
  std::string what = fmt::format("block {}", block.name);
  checkCount(block.parameters, arguments.size(), what, expr);
  Environment *scope = newEnvironment(instance->scope);
  scope->instance = instance;
  std::set<std::string> fixed(block.statics.begin(), block.statics.end());
  std::map<std::string, std::string> outerNames;
  for (size_t k = 0; k < block.parameters.size(); ++k) {
    const Parameter &parameter = block.parameters[k];
    Value argument = k < arguments.size()
                         ? arguments[k]
                         : evaluate(*parameter.defaultValue, instance->scope);
    bindParameter(parameter, argument, *scope, fixed, what, expr, outerNames);
  }
  // An error in a library gets a note on this call, so it ends the call.
  llvm::SaveAndRestore stopAtErrors(
      errors, isOfOtherFile(block.place, expr) ? nullptr : errors);
  try {
    Flow flow = run(block.body, scope);
    if (!flow.result || flow.result->size() != 1)
      throw SpecError(Code::ReturnCount, block.place,
                      fmt::format("{} must return one value", what));
    return {checkResult(block.result, (*flow.result)[0], scope, what,
                        block.place, outerNames)};
  } catch (const SpecError &error) {
    if (!isOfOtherFile(block.place, expr) ||
        error.first().at.source == expr.at.source)
      throw;
    throw error.withNotes({usedBy(
        fmt::format("{}: {}", instance->path, partText(*instance)), expr)});
  }
}

std::vector<Value> Elaborator::callEntry(const Entry &entry,
                                         const Environment *scope,
                                         const Arguments &arguments,
                                         const Expr &expr) {
  std::string what = fmt::format("entry {}", entry.name);
  checkCount(entry.parameters, arguments.size(), what, expr);
  Environment *inner = newEnvironment(scope);
  std::map<std::string, std::string> outerNames;
  for (size_t k = 0; k < entry.parameters.size(); ++k) {
    const Parameter &parameter = entry.parameters[k];
    if (k < arguments.size()) {
      bindParameter(parameter, arguments[k], *inner, {}, what, expr,
                    outerNames);
      continue;
    }
    Tensor filled;
    filled.integer = true;
    for (const ExprPtr &dim : *parameter.dims) {
      filled.visible.push_back(unsigned(filled.axes.size()));
      filled.axes.push_back({size(*dim, inner), spec::text(*dim)});
    }
    auto value = integer(*parameter.defaultValue, inner);
    filled.value =
        emit(step::Fill{value.value_or(0), shapeOf(filled)}, expr.at);
    bind(*inner, parameter.name, filled);
  }
  Flow flow = run(entry.body, inner);
  if (!flow.result || flow.result->size() != entry.results.size())
    throw SpecError(Code::ReturnCount, entry.place,
                    fmt::format("{} must return {} value{}", what,
                                entry.results.size(),
                                entry.results.size() == 1 ? "" : "s"));
  std::vector<Value> results;
  for (size_t k = 0; k < entry.results.size(); ++k)
    results.push_back(checkResult(entry.results[k].dims, (*flow.result)[k],
                                  inner, what, entry.results[k].place,
                                  outerNames));
  return results;
}

//===----------------------------------------------------------------------===//
// Entries as a whole
//===----------------------------------------------------------------------===//

EntryInfo Elaborator::signature(const Entry &entry) {
  EntryInfo result;
  result.name = entry.name;
  result.place = entry.place;
  auto external = [&](const std::string &name) {
    std::string outside = name;
    // Names in the file itself override those of its libraries, and names for
    // one entry override both.
    for (const std::string &key : {name, entry.name + "." + name})
      for (const File *file : files)
        for (const Interface &interface : file->interfaces)
          for (const auto &[inside, mapped] : interface.names)
            if (inside == key)
              outside = mapped;
    return outside;
  };
  for (const Parameter &parameter : entry.parameters) {
    ArgumentInfo argument{
        parameter.name, external(parameter.name), false, {}, std::nullopt, 0,
        parameter.place};
    if (parameter.dims)
      for (const ExprPtr &dim : *parameter.dims)
        argument.shape.push_back(size(*dim, root));
    if (parameter.defaultValue) {
      argument.defaultValue = integer(*parameter.defaultValue, root);
      argument.integer = true;
    }
    result.arguments.push_back(argument);
  }
  for (const Result &value : entry.results) {
    ResultInfo info{value.name, external(value.name), {}, value.place};
    for (const ExprPtr &dim : value.dims)
      info.shape.push_back(size(*dim, root));
    result.results.push_back(info);
  }
  return result;
}

/// The entry is inlined like a call whose arguments are the values 0, 1, …
/// Numbers of values and indices start anew, so that a second walk makes the
/// same steps.
Equations Elaborator::walk(const Entry &entry, EntryInfo &entryInfo) {
  Equations equations;
  target = &equations.steps;
  nextValue = 0;
  info = &entryInfo;
  indices.resize(1);
  Arguments arguments;
  for (size_t k = 0; k < entry.parameters.size(); ++k) {
    const Parameter &parameter = entry.parameters[k];
    const ArgumentInfo &argument = entryInfo.arguments[k];
    Tensor tensor;
    tensor.argument = int(k);
    tensor.integer = argument.integer;
    for (size_t a = 0; a < argument.shape.size(); ++a) {
      tensor.visible.push_back(unsigned(a));
      tensor.axes.push_back(
          {argument.shape[a], spec::text(*(*parameter.dims)[a])});
    }
    tensor.value = nextValue++;
    arguments.push_back(tensor);
  }
  Expr whole;
  whole.kind = ExprKind::Name;
  whole.at = entry.place;
  const std::vector<Value> results = callEntry(entry, root, arguments, whole);
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor &result = *results[k].tensor();
    equations.results.push_back(settled(result, entry.place).value);
    for (size_t a = 0; a < entryInfo.results[k].shape.size(); ++a)
      if (isFreeLength(*entry.results[k].dims[a], root))
        entryInfo.results[k].shape[a] = result.axis(a).size;
  }
  target = nullptr;
  info = nullptr;
  return equations;
}

ValueId Elaborator::emit(step::Operation operation, Place at) {
  target->push_back({std::move(operation), nextValue, at, caller});
  return nextValue++;
}

} // namespace transfold::spec
