// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/algorithm/Definition.h"

#include "compiler/kernels/algorithm/HalideMath.h"

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
    return cast<double>(roundedToFloat16(cast<float>(x[0])));
  case ScalarOp::RoundBF16:
    return cast<double>(reinterpret<float>(
        cast<uint32_t>(bfloat16Of(cast<float>(x[0]))) << 16));
  }
  throw std::runtime_error("an operation without a case");
}

static bool isDear(ScalarOp op) {
  return op == ScalarOp::Power || op == ScalarOp::Sqrt || op == ScalarOp::Log ||
         op == ScalarOp::Log2 || op == ScalarOp::Exp || op == ScalarOp::Sin ||
         op == ScalarOp::Cos;
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

} // namespace transfold::kernels
