// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns: the transpose v' of a row. A column is the same tensor as the row,
// and only `@` treats it differently:
//
//   v' @ w    [k] [c]    → [k, c]    each entry of v times each of w
//   A @ v'    [n, k] [k] → [n]       a column again
//   w @ v'    [k] [k]    → a number

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

namespace transfold::spec {

static Column columnOf(Tensor vector) {
  return {std::make_shared<Tensor>(std::move(vector))};
}

/// Nothing is summed, so this is an elementwise product.
Tensor Elaborator::outerProduct(const Tensor &column, const Tensor &row,
                                const Expr &expr) {
  Labels labels;
  Tensor out = result({&column, &row}, {column.axis(0), row.axis(0)},
                      {"a0", "a1"}, labels);
  out.value = emit(step::Elementwise{Binary::Multiply,
                                     {column.value, labelsOf(column, {"a0"})},
                                     {row.value, labelsOf(row, {"a1"})},
                                     labels},
                   expr.at);
  return out;
}

std::optional<Value>
Elaborator::productOfColumns(const Value &a, const Value &b, const Expr &expr) {
  if (a.as<Undetermined>() || b.as<Undetermined>())
    return Value(Undetermined{});
  const auto *left = a.as<Column>(), *right = b.as<Column>();
  if (!left && !right)
    return std::nullopt;
  if (left && b.tensor() && b.tensor()->rank() == 1)
    return Value(outerProduct(*left->vector, *b.tensor(), expr));
  if (right && a.tensor() && a.tensor()->rank() <= 2) {
    Tensor product = contract(*a.tensor(), *right->vector, expr);
    return product.rank() == 1 ? Value(columnOf(product)) : Value(product);
  }
  throw SpecError(
      Code::WrongRank, expr.at,
      fmt::format("{} is {} and {} is {}: these have no product",
                  spec::text(*expr.operands[0]), kindOf(a),
                  spec::text(*expr.operands[1]), kindOf(b)),
      {"Products of a column v' are v' @ row, matrix @ v' and row @ v'."},
      expr.range);
}

/// Columns are combined with numbers and with other columns, a state whose
/// shape is not known yet with anything: a sum has the shape of the other term.
std::optional<Value> Elaborator::combineColumns(ScalarOp op, const Value &a,
                                                const Value &b,
                                                const Expr &expr) {
  if (a.as<Undetermined>() || b.as<Undetermined>()) {
    const bool isSum = op == ScalarOp::Add || op == ScalarOp::Subtract;
    const Value &other = a.as<Undetermined>() ? b : a;
    return isSum && (other.tensor() || other.as<Column>())
               ? other
               : Value(Undetermined{});
  }
  const auto *left = a.as<Column>(), *right = b.as<Column>();
  if (!left && !right)
    return std::nullopt;
  auto entries = [](const Value &value) -> Value {
    auto *column = value.as<Column>();
    return column ? Value(*column->vector) : value;
  };
  const Value &other = left ? b : a;
  if (const Tensor *tensor = other.tensor(); tensor && tensor->rank() != 0)
    throw SpecError(
        Code::ElementwiseShapes, expr.at,
        fmt::format("a column is combined with numbers and columns, but {} is "
                    "{}",
                    spec::text(*expr.operands[left ? 1 : 0]), kindOf(other)),
        {"diag(v) @ X multiplies each row of X with its entry of v."},
        expr.range);
  Value combined = combine(op, entries(a), entries(b), expr);
  return combined.tensor() ? Value(columnOf(*combined.tensor())) : combined;
}

Value Elaborator::ofUndetermined(const std::string &name,
                                 const Arguments &values) {
  if (name == "min" || name == "max")
    for (const Value &value : values)
      if (value.tensor())
        return value;
  return Undetermined{};
}

} // namespace transfold::spec
