// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on tensors. Inside a family, the axis of its index is hidden from
// the equation and carries the label of that index; thus a product of x[n, k]
// and W[i][k, c] is one contraction for all members.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// The label of a family is its number, "i3": the same family has the same
/// label in all operands, and is matched by it.
Labels Elaborator::labelsOf(const Tensor &x,
                            const std::vector<std::string> &visible) {
  Labels labels(x.axes.size());
  for (unsigned k = 0; k < x.axes.size(); ++k)
    if (x.axes[k].family)
      labels[k] = "i" + std::to_string(x.axes[k].family);
  for (unsigned k = 0; k < x.rank(); ++k)
    labels[x.visible[k]] = visible[k];
  return labels;
}

std::vector<Dim> Elaborator::shapeOf(const Tensor &x) {
  std::vector<Dim> shape;
  for (const Axis &axis : x.axes)
    shape.push_back(axis.size);
  return shape;
}

/// The families are in ascending order of their numbers, which increase
/// inwards.
Tensor Elaborator::result(const std::vector<const Tensor *> &operands,
                          std::vector<Axis> visible, Labels visibleLabels,
                          Labels &labels) {
  Tensor result;
  std::map<int, Axis> hidden;
  for (const Tensor *operand : operands)
    for (const Axis &axis : operand->axes)
      if (axis.family)
        hidden[axis.family] = axis;
  labels.clear();
  for (const auto &[family, axis] : hidden) {
    result.axes.push_back(axis);
    labels.push_back("i" + std::to_string(family));
  }
  for (unsigned k = 0; k < visible.size(); ++k) {
    result.visible.push_back(unsigned(result.axes.size()));
    visible[k].family = 0;
    result.axes.push_back(visible[k]);
    labels.push_back(visibleLabels[k]);
  }
  return result;
}

/// Emits a Rearrange only if the order of axes changes, such as after a
/// transpose.
Tensor Elaborator::settled(const Tensor &x, Place at) {
  std::vector<Axis> visible;
  Labels visibleLabels;
  for (unsigned k = 0; k < x.rank(); ++k) {
    visible.push_back(x.axis(k));
    visibleLabels.push_back("a" + std::to_string(k));
  }
  Labels to, from = labelsOf(x, visibleLabels);
  Tensor settled = result({&x}, visible, visibleLabels, to);
  settled.value = x.value;
  settled.integer = x.integer;
  settled.argument = x.argument;
  settled.isWeight = x.isWeight;
  if (from == to)
    return settled;
  std::vector<Labels> before, after;
  std::vector<std::pair<std::string, Dim>> sizes;
  for (unsigned k = 0; k < from.size(); ++k) {
    before.push_back({from[k]});
    after.push_back({to[k]});
    sizes.emplace_back(from[k], x.axes[k].size);
  }
  settled.value = emit(step::Rearrange{x.value, before, after, sizes}, at);
  return settled;
}

Tensor Elaborator::without(const Tensor &x, unsigned position) {
  Tensor result = x;
  unsigned gone = x.visible[position];
  result.axes.erase(result.axes.begin() + gone);
  result.visible.erase(result.visible.begin() + position);
  for (unsigned &k : result.visible)
    k -= k > gone;
  result.argument = -1;
  return result;
}

//===----------------------------------------------------------------------===//
// Entry by entry
//===----------------------------------------------------------------------===//

Tensor Elaborator::elementwise(Binary kind, const Tensor &a, const Tensor &b,
                               const Expr &expr) {
  const Tensor &larger = a.rank() >= b.rank() ? a : b;
  const Tensor &smaller = a.rank() >= b.rank() ? b : a;
  unsigned rank = larger.rank(), offset = rank - smaller.rank();
  // A scalar combines with everything, a row with each row of a matrix;
  // otherwise the shapes must be equal.
  if (smaller.rank() != rank && smaller.rank() > 1)
    failElementwise(kind, a, b, expr);
  for (unsigned k = 0; k < smaller.rank(); ++k)
    if (!symbols.same(larger.axis(k + offset).size, smaller.axis(k).size))
      failElementwise(kind, a, b, expr);
  std::vector<Axis> axes;
  Labels all, labels;
  for (unsigned k = 0; k < rank; ++k) {
    axes.push_back(larger.axis(k));
    all.push_back("a" + std::to_string(k));
  }
  Labels last(all.begin() + offset, all.end());
  Tensor out = result({&a, &b}, axes, all, labels);
  out.value =
      emit(step::Elementwise{kind,
                             {a.value, labelsOf(a, &larger == &a ? all : last)},
                             {b.value, labelsOf(b, &larger == &b ? all : last)},
                             labels},
           expr.at);
  return out;
}

/// The elementwise operation of an infix operator on tensors.
static std::optional<Binary> binaryOf(ScalarOp op) {
  switch (op) {
  case ScalarOp::Add:
    return Binary::Add;
  case ScalarOp::Subtract:
    return Binary::Subtract;
  case ScalarOp::Multiply:
    return Binary::Multiply;
  case ScalarOp::Divide:
    return Binary::Divide;
  default:
    return std::nullopt;
  }
}

Value Elaborator::arithmetic(ScalarOp op, const Expr &expr,
                             const Environment *scope) {
  Value a = realOf(evaluate(*expr.operands[0], scope), *expr.operands[0]),
        b = realOf(evaluate(*expr.operands[1], scope), *expr.operands[1]);
  if (auto columns = combineColumns(op, a, b, expr))
    return *columns;
  const StaticValue *left = a.statics(), *right = b.statics();
  // Factors are shown as the spec writes them, in the branch that is taken.
  if (b.tensor() && left && op == ScalarOp::Multiply)
    return scaled(*b.tensor(), *left, false,
                  takenBranch(*expr.operands[0], scope));
  if (a.tensor() && right &&
      (op == ScalarOp::Multiply || op == ScalarOp::Divide))
    return scaled(*a.tensor(), *right, op == ScalarOp::Divide,
                  takenBranch(*expr.operands[1], scope));
  return combine(op, a, b, expr);
}

std::optional<Value> Elaborator::combineAbsent(ScalarOp op, const Value &a,
                                               const Value &b,
                                               const Expr &expr) {
  bool sum = op == ScalarOp::Add || op == ScalarOp::Subtract;
  if (auto *absent = b.as<Absent>()) {
    if (sum)
      return a;
    failAbsent(*absent, expr);
  }
  if (auto *absent = a.as<Absent>()) {
    if (!sum)
      failAbsent(*absent, expr);
    if (op == ScalarOp::Add)
      return b;
    if (auto *tensor = b.tensor())
      return negated(*tensor, expr.at);
    return scalarOperation(ScalarOp::Negate, {b}, expr);
  }
  return std::nullopt;
}

bool Elaborator::isBounded(const IndexExpr &expr) const {
  std::set<int> free;
  std::function<void(const IndexExpr &)> collect = [&](const IndexExpr &e) {
    if (e.kind == IndexExpr::Kind::Index)
      free.insert(e.index);
    for (const IndexExprPtr &operand : e.operands)
      collect(*operand);
  };
  collect(expr);
  return std::all_of(free.begin(), free.end(), [&](int index) {
    return indices[index].range.has_value();
  });
}

Tensor Elaborator::combineNumber(ScalarOp op, const Tensor &tensor,
                                 const StaticValue &number, bool isLeft,
                                 const Expr &expr) {
  if (op == ScalarOp::Multiply)
    return scaled(tensor, number, false, expr);
  if (op == ScalarOp::Divide && isLeft)
    return scaled(tensor, number, true, expr);
  if (op == ScalarOp::Divide) {
    Tensor inverse = tensor;
    inverse.value =
        emit(step::Power{tensor.value, ExactScalar(int64_t(-1))}, expr.at);
    inverse.markComputed();
    return scaled(inverse, number, false, *expr.operands[0]);
  }
  if (op == ScalarOp::Add)
    return shifted(tensor, number, expr);
  if (isLeft)
    return shifted(tensor, applyStatic(ScalarOp::Negate, {number}, expr), expr);
  return shifted(negated(tensor, expr.at), number, expr);
}

Value Elaborator::combine(ScalarOp op, const Value &a, const Value &b,
                          const Expr &expr) {
  if (auto value = combineAbsent(op, a, b, expr))
    return *value;
  if (auto columns = combineColumns(op, a, b, expr))
    return *columns;
  const Tensor *left = a.tensor(), *right = b.tensor();
  if (!left && !right)
    return scalarOperation(op, {a, b}, expr);
  if (left && right)
    return elementwise(*binaryOf(op), *left, *right, expr);
  const Tensor &tensor = left ? *left : *right;
  const Value &other = left ? b : a;
  if (auto *function = other.as<IndexClosure>()) {
    Value table = tabulated(*function, tensor, expr);
    return left ? combine(op, a, table, expr) : combine(op, table, b, expr);
  }
  if (auto *scalar = other.as<IndexedScalar>()) {
    // A scalar element of an array joins the index function; a row or matrix is
    // combined with one number for each member.
    if (!isBounded(*scalar->expr) || staysUnderCondition(tensor, *scalar))
      return scalarOperation(op, {a, b}, expr);
    Value table = tabulated(*scalar, expr.at);
    return left ? combine(op, a, table, expr) : combine(op, table, b, expr);
  }
  if (auto *statics = other.statics();
      statics && (statics->isNumber() || statics->isUnknown()))
    return combineNumber(op, tensor, *statics, left != nullptr, expr);
  throw SpecError(Code::Arithmetic, expr.at,
                  fmt::format("`{}` of {} and {} has no meaning", name(op),
                              kindOf(a), kindOf(b)),
                  expr.operands.size() == 2
                      ? whyNone(*expr.operands[left ? 1 : 0], other)
                      : std::vector<std::string>(),
                  expr.range);
}

Tensor Elaborator::negated(const Tensor &x, Place at) {
  Tensor result = x;
  result.value = emit(step::Apply{Unary::Negate, x.value}, at);
  result.markComputed();
  return result;
}

/// The branch that a conditional takes, if its condition is known.
const Expr &Elaborator::takenBranch(const Expr &expr,
                                    const Environment *scope) {
  const Expr *taken = &expr;
  while (taken->kind == ExprKind::Conditional) {
    auto truth = condition(*taken->operands[0], scope);
    if (!truth)
      break;
    taken = taken->operands[*truth ? 1 : 2].get();
  }
  return *taken;
}

/// The inverse is printed as a quotient node, so that parentheses are correct.
std::string Elaborator::writtenFactor(const Expr &expr, bool inverse) {
  if (!inverse)
    return spec::text(expr);
  auto one = std::make_shared<Expr>();
  one->kind = ExprKind::Number;
  one->text = "1";
  Expr quotient;
  quotient.kind = ExprKind::Divide;
  quotient.operands = {one, std::make_shared<Expr>(expr)};
  return spec::text(quotient);
}

/// A number or its reciprocal, exactly. Throws SpecError if a double cannot
/// hold it, because the program could not compute with it.
static ExactScalar constantOf(const StaticValue &value, bool inverse,
                              const Expr &written) {
  try {
    ExactScalar exact = value.toExact();
    if (inverse)
      exact = ExactScalar() / exact;
    double nearest = exact.toDouble();
    if (!std::isfinite(nearest))
      throw std::domain_error("a constant is too large for a double");
    if (nearest == 0 && !exact.isZero())
      throw std::domain_error("a constant is too small for a double");
    return exact;
  } catch (const std::domain_error &error) {
    throw SpecError(Code::Arithmetic, written.range.begin, error.what(), {},
                    written.range);
  }
}

std::optional<Tensor> Elaborator::numberOfLengths(const StaticValue &value,
                                                  const Expr &written) {
  IndexExprPtr number = scalarOf(value, symbols);
  if (number && number->boolean)
    throw SpecError(
        Code::TruthAsNumber, written.range.begin,
        fmt::format("{} is true or false, not a number", spec::text(written)),
        {fmt::format("Convert it to numbers: 1 if {} else 0.",
                     spec::text(written))},
        written.range);
  if (number)
    return tabulated(IndexedScalar{number}, written.range.begin);
  needKnown(value, written);
  return std::nullopt;
}

/// A factor of 1 makes no step. Unknown factors (without a checkpoint) make
/// none either, because only shapes are checked then.
Tensor Elaborator::scaled(const Tensor &x, const StaticValue &factor,
                          bool inverse, const Expr &written) {
  if (factor.isUnknown()) {
    auto number = numberOfLengths(factor, written);
    if (!number)
      return x;
    return elementwise(inverse ? Binary::Divide : Binary::Multiply, x, *number,
                       written);
  }
  if (!factor.isNumber())
    throw SpecError(
        Code::WrongKind, written.range.begin,
        fmt::format("a factor must be a number, but this is {}", factor.kind()),
        whyNone(written, factor), written.range);
  ExactScalar exact = constantOf(factor, inverse, written);
  if (exact.isOne())
    return x;
  Tensor result = x;
  result.value =
      emit(step::Scale{x.value, exact, writtenFactor(written, inverse)},
           written.range.begin);
  result.markComputed();
  return result;
}

Tensor Elaborator::shifted(const Tensor &x, const StaticValue &term,
                           const Expr &expr) {
  if (term.isUnknown()) {
    auto number = numberOfLengths(term, expr);
    return number ? elementwise(Binary::Add, x, *number, expr) : x;
  }
  if (constantOf(term, /*inverse=*/false, expr).isZero())
    return x;
  Tensor number;
  number.value = scalar(term, expr);
  return elementwise(Binary::Add, x, number, expr);
}

ValueId Elaborator::scalar(const StaticValue &value, const Expr &written) {
  return emit(step::Constant{constantOf(value, /*inverse=*/false, written)},
              written.at);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// diag(v) @ X is not a contraction but the product of each row with a number.
Value Elaborator::product(const Expr &expr, const Environment *scope) {
  Value a = realOf(evaluate(*expr.operands[0], scope), *expr.operands[0]),
        b = realOf(evaluate(*expr.operands[1], scope), *expr.operands[1]);
  for (const Value *side : {&a, &b})
    if (auto *absent = side->as<Absent>())
      failAbsent(*absent, expr);
  if (auto columns = productOfColumns(a, b, expr))
    return *columns;
  const Tensor *right = b.tensor();
  if (auto *diagonal = a.as<Diagonal>(); diagonal && right) {
    const Tensor &vector = *diagonal->vector;
    // Also of kernels of convolutions, which have three axes.
    if (right->rank() < 2 ||
        !symbols.same(vector.axis(0).size, right->axis(0).size))
      failProduct(vector, *right, expr);
    std::vector<Axis> axes;
    Labels names, labels;
    for (unsigned k = 0; k < right->rank(); ++k) {
      axes.push_back(right->axis(k));
      names.push_back("a" + std::to_string(k));
    }
    Tensor out = result({&vector, right}, axes, names, labels);
    out.value = emit(step::Elementwise{Binary::Multiply,
                                       {vector.value, labelsOf(vector, {"a0"})},
                                       {right->value, labelsOf(*right, names)},
                                       labels},
                     expr.at);
    return out;
  }
  const Tensor *left = a.tensor();
  for (const Value *side : {&a, &b})
    if (!side->tensor()) {
      const Expr &which = *expr.operands[side == &b];
      throw SpecError(
          Code::WrongRank, expr.at,
          fmt::format("`@` is the product of matrices, but {} is {}",
                      spec::text(which), kindOf(*side)),
          {"Scalars are multiplied with `*`."}, which.range);
    }
  return contract(*left, *right, expr);
}

/// Transposed operands need no step: their labels are in the order of storage,
/// and name the axes.
Tensor Elaborator::contract(const Tensor &a, const Tensor &b,
                            const Expr &expr) {
  for (const Tensor *side : {&a, &b})
    if (side->rank() < 1 || side->rank() > 2)
      failProduct(a, b, expr);
  const Axis &columns = a.axis(a.rank() - 1), &rows = b.axis(0);
  if (!symbols.same(columns.size, rows.size))
    failProduct(a, b, expr);
  std::vector<Axis> visible;
  Labels visibleLabels, labels;
  if (a.rank() == 2) {
    visible.push_back(a.axis(0));
    visibleLabels.push_back("r");
  }
  if (b.rank() == 2) {
    visible.push_back(b.axis(1));
    visibleLabels.push_back("c");
  }
  Tensor out = result({&a, &b}, visible, visibleLabels, labels);
  Labels left = a.rank() == 2 ? Labels{"r", "k"} : Labels{"k"};
  Labels right = b.rank() == 2 ? Labels{"k", "c"} : Labels{"k"};
  out.value = emit(step::Contract{{a.value, labelsOf(a, left)},
                                  {b.value, labelsOf(b, right)},
                                  labels},
                   expr.at);
  return out;
}

} // namespace transfold::spec
