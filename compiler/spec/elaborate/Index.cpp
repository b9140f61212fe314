// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x[…]: rows, slices, rows looked up by integers, elements of lists, arrays
// read inside an index function. Members of families: Members.cpp.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace transfold::spec {

Value Elaborator::index(const Expr &expr, const Environment *scope) {
  // The base may be a family of parts, which is indexed before it is called.
  Value base = evaluate(*expr.operands[0], scope);
  auto argument = [&](size_t k) -> Value {
    return evaluate(*expr.operands[k], scope);
  };
  if (base.as<Absent>() || base.as<Undetermined>())
    return base;
  if (auto *state = base.as<EarlierState>())
    return memberBeforeFromZero(*state, expr, scope);
  if (auto *tensor = base.tensor())
    return indexTensor(*tensor, expr, scope);
  if (auto *statics = base.statics())
    return indexStatic(*statics, expr, scope);
  if (auto *family = base.as<PartFamily>()) {
    if (expr.operands.size() != 2)
      throw SpecError(
          Code::IndexCount, expr.at,
          fmt::format("the parts `{}` have one index", family->name), {},
          expr.range);
    return family->make(argument(1), expr);
  }
  if (auto *function = base.as<IndexClosure>()) {
    Arguments given;
    for (size_t k = 1; k < expr.operands.size(); ++k)
      given.push_back(argument(k));
    if (given.size() > function->arity)
      throw SpecError(
          Code::IndexCount, expr.at,
          fmt::format("`{}` has {}, not {}", function->name,
                      function->arity == 1
                          ? "1 index"
                          : fmt::format("{} indices", function->arity),
                      given.size()),
          {}, expr.range);
    if (given.size() == function->arity)
      return function->apply(given);
    // Too few indices: a function of those that remain.
    auto apply = function->apply;
    return IndexClosure{spec::text(expr),
                        unsigned(function->arity - given.size()),
                        [given, apply](const Arguments &rest) {
                          Arguments all = given;
                          all.insert(all.end(), rest.begin(), rest.end());
                          return apply(all);
                        }};
  }
  throw SpecError(Code::NotIndexable, expr.at,
                  fmt::format("{} is {} and has no index",
                              spec::text(*expr.operands[0]), kindOf(base)),
                  {}, expr.range);
}

Value Elaborator::indexStatic(const StaticValue &x, const Expr &expr,
                              const Environment *scope) {
  if (expr.operands.size() != 2)
    throw std::domain_error("a list has one index");
  if (x.isNone())
    return StaticValue();
  Value given = evaluate(*expr.operands[1], scope);
  if (auto *scalar = given.as<IndexedScalar>(); scalar && x.list())
    return listed(**x.list(), scalar->expr, expr);
  if (given.as<IndexedScalar>() && x.isUnknown())
    return IndexedScalar{IndexExpr::constant(ExactScalar())};
  StaticValue which = staticValue(*expr.operands[1], scope);
  if (x.isUnknown() || which.isUnknown())
    return StaticValue::unknown();
  if (x.record()) {
    if (!which.text())
      throw std::domain_error(
          fmt::format("a record has keys, not {}", which.kind()));
    return configuration.field(x, *which.text());
  }
  auto number = which.asInteger();
  if (!x.list() || !number)
    throw SpecError(Code::NotIndexable, expr.at,
                    fmt::format("{} has no index {}", x.kind(), which.str()),
                    {}, expr.range);
  // An index past the end gives `none`, as an absent key does.
  const auto &elements = **x.list();
  if (*number < 0 || size_t(*number) >= elements.size())
    return StaticValue();
  return elements[*number];
}

/// An element of a list in an index function: s[c] becomes s_0 if c == 0, else
/// s_1 if …
Value Elaborator::listed(const std::vector<StaticValue> &list,
                         const IndexExprPtr &index, const Expr &expr) {
  constexpr size_t longest = 1024;
  if (list.empty() || list.size() > longest)
    throw SpecError(Code::TooLong, expr.at,
                    fmt::format("a list of {} values: an index function can "
                                "read one of 1 to {} values",
                                list.size(), longest),
                    {}, expr.range);
  IndexExprPtr value;
  for (size_t k = list.size(); k-- > 0;) {
    if (!list[k].isNumber())
      throw SpecError(
          Code::IndexFunctionValue, expr.at,
          fmt::format(
              "an index function reads numbers, but {} of the list is {}", k,
              list[k].kind()),
          {}, expr.range);
    IndexExprPtr entry = IndexExpr::constant(list[k].toExact());
    IndexExprPtr here = IndexExpr::constant(ExactScalar(int64_t(k)));
    value = value ? IndexExpr::operation(
                        ScalarOp::Select,
                        {IndexExpr::operation(ScalarOp::Equal, {index, here}),
                         entry, value})
                  : entry;
  }
  return IndexedScalar{value};
}

/// An element of an array, inside an index function: a scalar.
Value Elaborator::elementOf(const Tensor &x, const std::vector<Value> &given,
                            const Expr &expr) {
  if (given.size() != x.rank())
    throw SpecError(Code::IndexCount, expr.at,
                    fmt::format("{} is {}: inside an index function all its "
                                "indices must be given",
                                spec::text(*expr.operands[0]), shown(x)),
                    {}, expr.range);
  std::vector<IndexExprPtr> place(x.axes.size());
  for (unsigned k = 0; k < x.axes.size(); ++k)
    if (x.axes[k].family)
      place[k] = IndexExpr::variable(x.axes[k].family);
  for (unsigned k = 0; k < given.size(); ++k) {
    auto scalar = asIndexed(given[k]);
    if (!scalar)
      throw SpecError(Code::IndexKind, expr.at, "an index must be an integer",
                      {}, expr.range);
    place[x.visible[k]] = *scalar;
  }
  return IndexedScalar{IndexExpr::read(x.value, place)};
}

Value Elaborator::indexTensor(const Tensor &x, const Expr &expr,
                              const Environment *scope) {
  size_t count = expr.operands.size() - 1;
  if (count > x.rank())
    throw SpecError(Code::IndexCount, expr.at,
                    fmt::format("{} is {} and has no {} indices",
                                spec::text(*expr.operands[0]), shown(x), count),
                    {}, expr.range);
  std::vector<Value> values(count);
  bool reads = false;
  for (size_t k = 0; k < count; ++k) {
    const Expr &which = *expr.operands[k + 1];
    if (which.kind == ExprKind::Slice || which.kind == ExprKind::Range)
      continue;
    values[k] = evaluate(which, scope);
    if (auto *scalar = values[k].as<IndexedScalar>())
      reads |= !isFamilyIndex(*scalar->expr) &&
               (x.integer || conditions > 0 || !earlierIndex(*scalar->expr));
  }
  if (reads)
    return elementOf(x, values, expr);
  // From left to right; an axis that is removed or hidden moves the following
  // axes one position to the front.
  Tensor result = x;
  unsigned position = 0;
  for (size_t k = 0; k < count; ++k) {
    const Expr &which = *expr.operands[k + 1];
    if (which.kind == ExprKind::Slice || which.kind == ExprKind::Range) {
      result = slice(result, position++, which, expr, scope);
      continue;
    }
    if (auto *scalar = values[k].as<IndexedScalar>()) {
      if (position != 0)
        throw SpecError(Code::FamilyAxis, which.range.begin,
                        "only the first axis is that of a family", {},
                        which.range);
      result = isFamilyIndex(*scalar->expr)
                   ? memberOf(result, *scalar->expr, which, expr, scope)
                   : earlierMember(result, *earlierIndex(*scalar->expr), which,
                                   expr, scope);
      continue;
    }
    if (auto *tensor = values[k].tensor()) {
      if (k != 0 || count != 1)
        throw SpecError(Code::RowLookup, which.range.begin,
                        "rows are looked up by one index: E[tokens]", {},
                        which.range);
      return gather(x, *tensor, expr);
    }
    auto *statics = values[k].statics();
    if (!statics)
      throw SpecError(Code::IndexKind, which.range.begin,
                      fmt::format("an index cannot be {}", kindOf(values[k])),
                      {}, which.range);
    result = picked(result, position, *statics, which, expr);
  }
  return result;
}

/// x[k], or x[n - 1]: one position of an axis, counted from its start or from
/// its end.
Tensor Elaborator::picked(const Tensor &x, unsigned position,
                          const StaticValue &index, const Expr &which,
                          const Expr &expr) {
  auto number = index.asInteger();
  if (!number && !index.isUnknown())
    throw SpecError(
        Code::IndexKind, which.range.begin,
        fmt::format("an index must be an integer, but this is {}", index.str()),
        {}, which.range);
  if (dependsOnLengths(index))
    return pickedByLength(x, position, index, which, expr);
  auto size = x.axis(position).size.asNumber();
  if (number && size && (*number >= *size || *number < -*size))
    throw SpecError(Code::OutOfRange, which.range.begin,
                    fmt::format("{} is {}: there is no index {}",
                                spec::text(*expr.operands[0]), shown(x),
                                *number),
                    {}, which.range);
  return selected(x, position, number.value_or(0), expr.at);
}

// The program checks these bounds when it runs.

void Elaborator::needAtLeast(const Dim &size, int64_t least) const {
  if (!info || size.asNumber())
    return;
  if (auto bound = size.leastFor(least); bound && bound->second > 1) {
    int64_t &known = info->least[bound->first];
    known = std::max(known, bound->second);
  }
}

void Elaborator::needAtMost(const Dim &size, int64_t most) const {
  auto above = info ? size.leastFor(most + 1) : std::nullopt;
  if (!above)
    return;
  const int64_t limit = above->second - 1;
  for (auto &[name, value] : info->limits)
    if (name == above->first) {
      value = std::min(value, limit);
      return;
    }
  info->limits.emplace_back(above->first, limit);
}

/// The index must exist.
Tensor Elaborator::selected(const Tensor &x, unsigned position, int64_t number,
                            Place at) {
  needAtLeast(x.axis(position).size, number < 0 ? -number : number + 1);
  ValueId value = emit(step::Select{x.value, x.visible[position], number}, at);
  Tensor result = without(x, position);
  result.value = value;
  return result;
}

/// x[n - k] of an axis n is the k-th from the end; P[n + b] of a table is the
/// last of its first n + b + 1 rows.
Tensor Elaborator::pickedByLength(const Tensor &x, unsigned position,
                                  const StaticValue &index, const Expr &which,
                                  const Expr &expr) {
  const Axis &axis = x.axis(position);
  if (auto place = index.asSize()) {
    if (auto fromEnd = (axis.size - *place).asNumber()) {
      if (*fromEnd < 1)
        throw SpecError(Code::OutOfRange, which.range.begin,
                        fmt::format("{} is {}: there is no index {}",
                                    spec::text(*expr.operands[0]), shown(x),
                                    place->str()),
                        {}, which.range);
      return selected(x, position, -*fromEnd, expr.at);
    }
    // A table has a constant number of rows.
    bool isTable = axis.size.asNumber() || !symbols.numberOf(axis.size);
    Dim length = place->withoutNumber();
    auto shift = (*place - length).asNumber();
    if (shift && length.asAtom() && symbols.numberOf(length) && isTable) {
      int64_t offset = std::max<int64_t>(*shift + 1, 0);
      Tensor rows = sliced(x, position, offset, length, length.str(), expr.at);
      return selected(rows, position, *shift - offset, expr.at);
    }
  }
  throw SpecError(
      Code::IndexKind, which.range.begin,
      fmt::format(
          "a position is a number or counted from the end, but {} is neither",
          spec::text(which)),
      {fmt::format("{} is {}: x[k] and x[{} - k] are positions of it, k a "
                   "number.",
                   spec::text(*expr.operands[0]), shown(x), shown(axis))},
      which.range);
}

/// Slices: P[:n], x[:, k:], P[p +: n].
Tensor Elaborator::slice(const Tensor &x, unsigned position, const Expr &range,
                         const Expr &expr, const Environment *scope) {
  const Axis &axis = x.axis(position);
  if (range.kind == ExprKind::Range)
    if (Value first = evaluate(*range.operands[0], scope);
        first.as<IndexedScalar>())
      return sliceOfMember(x, position, *first.as<IndexedScalar>()->expr, range,
                           expr, scope);
  int64_t offset = 0;
  if (range.operands[0])
    offset = integer(*range.operands[0], scope).value_or(0);
  if (offset < 0)
    throw SpecError(Code::OutOfRange, range.range.begin,
                    "a slice must begin at 0 or later", {}, range.range);
  Dim length;
  std::string lengthName;
  if (range.kind == ExprKind::Range) {
    length = size(*range.operands[1], scope);
    lengthName = spec::text(*range.operands[1]);
  } else if (range.operands[1]) {
    length = size(*range.operands[1], scope);
    lengthName = spec::text(*range.operands[1]);
    if (range.operands[0]) {
      length = length - size(*range.operands[0], scope);
      lengthName += " - " + spec::text(*range.operands[0]);
    }
  } else {
    length = axis.size -
             (range.operands[0] ? size(*range.operands[0], scope) : Dim(0));
    lengthName = range.operands[0]
                     ? axis.name + " - " + spec::text(*range.operands[0])
                     : axis.name;
  }
  auto whole = axis.size.asNumber(), part = length.asNumber();
  if (whole && part && offset + *part > *whole)
    throw SpecError(Code::OutOfRange, expr.at,
                    fmt::format("{} is {}: the slice ends at {}",
                                spec::text(*expr.operands[0]), shown(x),
                                offset + *part),
                    {}, expr.range);
  return sliced(x, position, offset, length, lengthName, expr.at);
}

/// Of two lengths of different sequences it is not known which is longer.
void Elaborator::needWithin(const Tensor &x, unsigned position, int64_t offset,
                            const Dim &length, Place at) const {
  const Dim spare = x.axis(position).size - Dim(offset) - length;
  if (!symbols.numberOf(spare))
    return;
  auto number = spare.asNumber();
  const bool mayFit =
      number ? *number >= 0 : spare.names().size() != 1 || spare.leastFor(0);
  if (!mayFit)
    throw SpecError(
        Code::OutOfRange, at,
        fmt::format("this takes {} positions from {} on, of an axis that has "
                    "{}",
                    length.str(), offset, x.axis(position).size.str()),
        {"A slice must lie within its axis, whatever the length."});
  needAtLeast(spare, 0);
}

/// A table with one row per position limits the length.
Tensor Elaborator::sliced(const Tensor &x, unsigned position, int64_t offset,
                          const Dim &length, const std::string &lengthName,
                          Place at) {
  auto whole = x.axis(position).size.asNumber();
  needAtLeast(length, 1);
  if (whole)
    needAtMost(length, *whole - offset);
  else
    needWithin(x, position, offset, length, at);
  Tensor result = x;
  unsigned physical = x.visible[position];
  result.axes[physical].size = length;
  result.axes[physical].name = lengthName;
  result.value = emit(step::Slice{x.value, physical, offset, length}, at);
  result.markComputed();
  return result;
}

/// Looks up rows: E[tokens].
Tensor Elaborator::gather(const Tensor &table, const Tensor &which,
                          const Expr &expr) {
  for (const Tensor *operand : {&table, &which})
    for (const Axis &axis : operand->axes)
      if (axis.family)
        throw SpecError(Code::RowLookup, expr.at,
                        "rows are looked up outside of families only", {},
                        expr.range);
  if (which.rank() > 1)
    throw SpecError(
        Code::RowLookup, expr.at,
        fmt::format("rows are looked up by a row of integers, not by {}",
                    shown(which)),
        {}, expr.range);
  if (which.argument >= 0 && info) {
    ArgumentInfo &argument = info->arguments[which.argument];
    argument.integer = true;
    if (auto rows = table.axis(0).size.asNumber())
      argument.bound = argument.bound ? std::min(argument.bound, *rows) : *rows;
  } else if (!which.integer) {
    throw SpecError(
        Code::RowLookup, expr.at,
        fmt::format("{} does not hold integers", spec::text(*expr.operands[1])),
        {}, expr.range);
  }
  Tensor rows = settled(table, expr.at);
  Tensor result;
  for (const Axis &axis : which.axes)
    result.axes.push_back(axis);
  for (unsigned k = 1; k < rows.axes.size(); ++k)
    result.axes.push_back(rows.axes[k]);
  for (unsigned k = 0; k < result.axes.size(); ++k)
    result.visible.push_back(k);
  result.value = emit(step::Gather{rows.value, which.value}, expr.at);
  return result;
}

} // namespace transfold::spec
