// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index functions combined with tensors, from which they take their extents.

#include "compiler/spec/elaborate/Elaborator.h"

#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>

#include <set>

namespace transfold::spec {

/// A copy of `expr` with the indices renumbered.
static void renumber(const IndexExpr &expr, std::map<int, int> &numbers,
                     IndexExprPtr &out) {
  auto copy = std::make_shared<IndexExpr>(expr);
  if (expr.kind == IndexExpr::Kind::Index)
    copy->index = numbers.at(expr.index);
  for (IndexExprPtr &operand : copy->operands)
    renumber(*operand, numbers, operand);
  out = copy;
}

/// Collects the indices that `expr` depends on.
static void freeIndices(const IndexExpr &expr, std::set<int> &free) {
  if (expr.kind == IndexExpr::Kind::Index)
    free.insert(expr.index);
  for (const IndexExprPtr &operand : expr.operands)
    freeIndices(*operand, free);
}

/// Throws SpecError unless each length in `body` follows from the shape of an
/// argument.
static void needLengths(const IndexExpr &body, const EntryInfo &entry,
                        Place at) {
  auto shows = [&](const std::string &length) {
    for (const ArgumentInfo &argument : entry.arguments)
      for (const Dim &size : argument.shape)
        if (size.asAtom() == length)
          return true;
    return false;
  };
  walk(body, [&](const IndexExpr &node) {
    if (node.kind == IndexExpr::Kind::Length && !shows(node.name))
      throw SpecError(
          Code::UnderivedLength, at,
          fmt::format(
              "the length {} cannot be derived from the arguments of {}",
              node.name, entry.name),
          {fmt::format("An argument with the axis {} would determine it.",
                       node.name)});
  });
}

/// Converts a boolean to 1 or 0.
static IndexExprPtr numberOf(const IndexExprPtr &body) {
  if (!body->boolean)
    return body;
  return IndexExpr::operation(
      ScalarOp::Select, {body, IndexExpr::constant(ExactScalar(int64_t(1))),
                         IndexExpr::constant(ExactScalar(int64_t(0)))});
}

/// The function of the families that `body` depends on, followed by
/// `positions`.
IndexFunction Elaborator::functionOf(const std::string &name,
                                     const IndexExprPtr &body,
                                     const std::vector<int> &positions,
                                     std::vector<int> &families, Place at) {
  if (info)
    needLengths(*body, *info, at);
  std::set<int> free;
  freeIndices(*body, free);
  for (int position : positions)
    free.erase(position);
  families.assign(free.begin(), free.end());
  std::map<int, int> numbers;
  std::vector<std::string> names;
  for (const std::vector<int> *list :
       {const_cast<const std::vector<int> *>(&families), &positions})
    for (int index : *list) {
      numbers[index] = int(names.size());
      names.push_back(indices[index].name);
    }
  IndexExprPtr renumbered;
  renumber(*body, numbers, renumbered);
  return IndexFunction(name, names, renumbered, unsigned(families.size()));
}

/// A function with fewer indices than `like` has axes is one of the last axes:
/// a row of numbers combines with each row of a matrix.
Value Elaborator::tabulated(const IndexClosure &function, const Tensor &like,
                            const Expr &expr) {
  if (function.arity > like.rank())
    throw SpecError(Code::IndexCount, expr.at,
                    fmt::format("{}has {} indices, but is combined with {}",
                                function.name.empty()
                                    ? "this function "
                                    : "`" + function.name + "` ",
                                function.arity, shown(like)),
                    {}, expr.range);
  static const char *const letters[] = {"i", "j", "k", "l"};
  std::vector<int> positions;
  Arguments arguments;
  std::vector<Axis> axes;
  for (unsigned k = 0; k < function.arity; ++k) {
    positions.push_back(newIndex(letters[k % 4]));
    arguments.push_back(IndexedScalar{IndexExpr::variable(positions.back())});
    axes.push_back(like.axis(like.rank() - function.arity + k));
  }
  Value value = function.apply(arguments);
  if (value.statics())
    return value;
  auto body = asIndexed(value);
  if (!body)
    throw SpecError(
        Code::IndexFunctionValue, expr.at,
        fmt::format("an index function must be a scalar, but this is {}",
                    kindOf(value)),
        {}, expr.range);
  return tabulated(function.name, *body, positions, std::move(axes), expr.at);
}

/// The axes of families come first, where `settled` puts them, too.
Tensor Elaborator::tabulated(const std::string &name, const IndexExprPtr &body,
                             const std::vector<int> &positions,
                             std::vector<Axis> axes, Place at) {
  std::vector<int> families;
  IndexFunction table =
      functionOf(name, numberOf(body), positions, families, at);
  Tensor out;
  for (int index : families) {
    Axis axis{indices[index].range.value_or(Dim(0)), indices[index].rangeName,
              index};
    out.axes.push_back(axis);
  }
  for (Axis &axis : axes) {
    axis.family = 0;
    out.visible.push_back(unsigned(out.axes.size()));
    out.axes.push_back(axis);
  }
  out.value = emit(step::Tabulate{table, shapeOf(out)}, at);
  return out;
}

/// A table with one number for each member of the families that a scalar
/// depends on.
Tensor Elaborator::tabulated(const IndexedScalar &scalar, Place at) {
  std::vector<int> families;
  IndexFunction table = functionOf("", numberOf(scalar.expr), {}, families, at);
  Tensor out;
  for (int index : families) {
    if (!indices[index].range)
      throw SpecError(
          Code::UnknownRange, at,
          fmt::format("how many members has the index `{}`? State the range "
                      "where it is defined: [{} < …]",
                      indices[index].name, indices[index].name));
    out.axes.push_back(
        {*indices[index].range, indices[index].rangeName, index});
  }
  out.value = emit(step::Tabulate{table, shapeOf(out)}, at);
  return out;
}

} // namespace transfold::spec
