// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/Definition.h"

#include <set>

using namespace Halide;

namespace transfold::kernels {

//===----------------------------------------------------------------------===//
// Scalar operations
//
// As the language says: in double, where integers up to 2^53 are exact, and so
// is the floor of the quotient of two of them. What may hold of real numbers
// only, as x / 7 = x · (1/7), is no part of it: 7 · (1/7) is below 1.
//===----------------------------------------------------------------------===//

static Expr callOfDouble(const char *function, const Expr &x) {
  return Internal::Call::make(Float(64), function, {x},
                              Internal::Call::PureExtern);
}

static Expr applied(ScalarOp op, const std::vector<Expr> &x) {
  switch (op) {
  case ScalarOp::Add:
    return x[0] + x[1];
  case ScalarOp::Subtract:
    return x[0] - x[1];
  case ScalarOp::Multiply:
    return x[0] * x[1];
  case ScalarOp::Divide:
    return x[0] / x[1];
  case ScalarOp::IntegerDivide:
    return floor(x[0] / x[1]);
  case ScalarOp::Modulo:
    return x[0] - floor(x[0] / x[1]) * x[1];
  case ScalarOp::Power:
    return pow(x[0], x[1]);
  case ScalarOp::Negate:
    return -x[0];
  case ScalarOp::Equal:
    return x[0] == x[1];
  case ScalarOp::NotEqual:
    return x[0] != x[1];
  case ScalarOp::Less:
    return x[0] < x[1];
  case ScalarOp::LessEqual:
    return x[0] <= x[1];
  case ScalarOp::Greater:
    return x[0] > x[1];
  case ScalarOp::GreaterEqual:
    return x[0] >= x[1];
  case ScalarOp::And:
    return x[0] && x[1];
  case ScalarOp::Or:
    return x[0] || x[1];
  case ScalarOp::Not:
    return !x[0];
  case ScalarOp::Select:
    return select(x[0], x[1], x[2]);
  case ScalarOp::Sqrt:
    return sqrt(x[0]);
  case ScalarOp::Log:
    return log(x[0]);
  case ScalarOp::Log2:
    return callOfDouble("log2", x[0]);
  case ScalarOp::Exp:
    return exp(x[0]);
  case ScalarOp::Sin:
    return sin(x[0]);
  case ScalarOp::Cos:
    return cos(x[0]);
  case ScalarOp::Floor:
    return floor(x[0]);
  case ScalarOp::Ceil:
    return ceil(x[0]);
  case ScalarOp::Abs:
    return abs(x[0]);
  case ScalarOp::Sign:
    return select(x[0] > Expr(0.0), Expr(1.0),
                  select(x[0] < Expr(0.0), Expr(-1.0), Expr(0.0)));
  case ScalarOp::Min:
    return min(x[0], x[1]);
  case ScalarOp::Max:
    return max(x[0], x[1]);
  case ScalarOp::Clamp:
    return min(max(x[0], x[1]), x[2]);
  case ScalarOp::RoundF32:
    return cast<double>(cast<float>(x[0]));
  case ScalarOp::RoundF16:
  case ScalarOp::RoundBF16:
    throw std::runtime_error("no kernel rounds a definition to " +
                             std::string(name(op)));
  }
  throw std::runtime_error("an operation without a case");
}

static bool isDear(ScalarOp op) {
  return op == ScalarOp::Power || op == ScalarOp::Sqrt || op == ScalarOp::Log ||
         op == ScalarOp::Log2 || op == ScalarOp::Exp || op == ScalarOp::Sin ||
         op == ScalarOp::Cos;
}

//===----------------------------------------------------------------------===//
// Multiples of a position
//===----------------------------------------------------------------------===//

/// a + b or a - b, where null is 0.
static IndexExprPtr combined(ScalarOp op, const IndexExprPtr &a,
                             const IndexExprPtr &b) {
  if (!a && b && op == ScalarOp::Subtract)
    return IndexExpr::operation(ScalarOp::Negate, {b});
  return a && b ? IndexExpr::operation(op, {a, b}) : a ? a : b;
}

/// `expr` as a multiple of index `index`, with a factor and a rest that do not
/// depend on it; none where it is none.
static std::optional<Multiple> multipleOf(const IndexExprPtr &expr, int index) {
  bool depends = false;
  walk(*expr, [&](const IndexExpr &node) {
    depends |= node.kind == IndexExpr::Kind::Index && node.index == index;
  });
  if (!depends)
    return Multiple{nullptr, expr};
  if (expr->kind == IndexExpr::Kind::Index)
    return Multiple{IndexExpr::constant(1.0), nullptr};
  if (expr->kind != IndexExpr::Kind::Operation)
    return std::nullopt;
  std::vector<Multiple> operands;
  for (const IndexExprPtr &operand : expr->operands) {
    auto multiple = multipleOf(operand, index);
    if (!multiple)
      return std::nullopt;
    operands.push_back(*multiple);
  }
  auto scaled = [&](size_t which, size_t by) -> std::optional<Multiple> {
    if (operands[by].factor)
      return std::nullopt;
    Multiple result = operands[which];
    for (IndexExprPtr *part : {&result.factor, &result.rest})
      if (*part)
        *part = IndexExpr::operation(expr->op, {*part, operands[by].rest});
    return result;
  };
  switch (expr->op) {
  case ScalarOp::Add:
  case ScalarOp::Subtract:
    return Multiple{combined(expr->op, operands[0].factor, operands[1].factor),
                    combined(expr->op, operands[0].rest, operands[1].rest)};
  case ScalarOp::Multiply:
    return operands[0].factor ? scaled(0, 1) : scaled(1, 0);
  case ScalarOp::Divide:
    return scaled(0, 1);
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

Expr Definition::at(const IndexExpr &expr) const {
  if (auto axis = onlyAxis(expr))
    return constants(expr, *axis);
  switch (expr.kind) {
  case IndexExpr::Kind::Constant:
    return expr.boolean ? Expr(expr.value != 0) : Expr(expr.value);
  case IndexExpr::Kind::Index:
    return cast<double>(indices[expr.index]);
  case IndexExpr::Kind::Read:
    return read(expr);
  case IndexExpr::Kind::Length:
    throw std::runtime_error("a kernel reads lengths as arrays");
  case IndexExpr::Kind::Operation:
    break;
  }
  size_t length = 0, lengths = 0;
  for (size_t axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].isLength()) {
      length = axis;
      ++lengths;
    }
  // On a device every thread makes its own.
  if (!builder.isOnDevice && isFromStart && lengths == 1 &&
      (expr.op == ScalarOp::Sin || expr.op == ScalarOp::Cos))
    if (auto angle = multipleOf(expr.operands[0], static_cast<int>(length));
        angle && angle->factor)
      return inBlocks(expr.op, *angle, length);
  std::vector<Expr> operands;
  for (const IndexExprPtr &operand : expr.operands)
    operands.push_back(at(*operand));
  return strict_float(applied(expr.op, operands));
}

Expr Definition::read(const IndexExpr &expr) const {
  const Tensor &array = arrays[expr.array];
  if (array.count.defined())
    return cast<double>(array.count);
  Indices place;
  for (size_t k = 0; k < expr.operands.size(); ++k) {
    Expr index = cast<int>(at(*expr.operands[k]));
    // What is not chosen may lie outside.
    if (!array.axes[k].isLength())
      index = clamp(index, 0, static_cast<int>(array.axes[k].size) - 1);
    place.push_back(index);
  }
  return cast<double>(array.at(place));
}

std::optional<int> Definition::onlyAxis(const IndexExpr &expr) const {
  bool dear = false, reads = false;
  std::set<int> used;
  walk(expr, [&](const IndexExpr &node) {
    if (node.kind == IndexExpr::Kind::Index)
      used.insert(node.index);
    reads |= node.kind == IndexExpr::Kind::Read;
    dear |= node.kind == IndexExpr::Kind::Operation && isDear(node.op);
  });
  if (!dear || reads || expr.boolean || used.size() != 1 ||
      axes[*used.begin()].isLength())
    return std::nullopt;
  return *used.begin();
}

Expr Definition::constants(const IndexExpr &expr, int axis) const {
  int size = static_cast<int>(axes[axis].size);
  Buffer<double> table(size);
  std::vector<int64_t> place(axes.size(), 0);
  for (place[axis] = 0; place[axis] < size; ++place[axis])
    table(static_cast<int>(place[axis])) = evaluate(expr, place);
  return table(clamp(indices[axis], 0, size - 1));
}

Expr Definition::inBlocks(ScalarOp op, const Multiple &angle,
                          size_t axis) const {
  constexpr int block = 64;
  // Of every 64th position, and of the first 64.
  std::vector<Var> variables = indexVariables(axes.size());
  Indices place(variables.begin(), variables.end());
  Definition there(builder, axes, arrays, place, isFromStart);
  Expr factor = there.at(*angle.factor);
  Expr first = factor * cast<double>(variables[axis] * block);
  if (angle.rest)
    first += there.at(*angle.rest);
  Expr rest = factor * cast<double>(variables[axis]);
  auto table = [&](const char *name, const Expr &entry) {
    Func function(builder.uniqueName(name));
    function(innermostFirst(variables)) = entry;
    builder.algorithm.angles.push_back(function);
    return function;
  };
  Func sinFirst = table("sin_of_block", sin(first));
  Func cosFirst = table("cos_of_block", cos(first));
  Func sinRest = table("sin_in_block", sin(rest));
  Func cosRest = table("cos_in_block", cos(rest));

  Indices whole = indices, part = indices;
  whole[axis] = indices[axis] / block;
  // No more than the position itself: a short sequence needs no whole block.
  part[axis] = min(indices[axis] % block, indices[axis]);
  Expr sinA = sinFirst(innermostFirst(whole)),
       cosA = cosFirst(innermostFirst(whole)),
       sinB = sinRest(innermostFirst(part)),
       cosB = cosRest(innermostFirst(part));
  return op == ScalarOp::Sin ? sinA * cosB + cosA * sinB
                             : cosA * cosB - sinA * sinB;
}

} // namespace transfold::kernels
