// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the scalar operations of definitions by index. The interpreter
// (base/exact/ScalarOp.cpp) is the reference for each.

#include "compiler/kernels/algorithm/tensor/Definition.h"

#include "compiler/kernels/algorithm/numeric/HalideMath.h"

#include <limits>
#include <set>

using namespace Halide;

namespace transfold::kernels {

//===----------------------------------------------------------------------===//
// Scalar operations
//
// As the language defines them: in double, where integers up to 2^53 are exact,
// and so is the floor of the quotient of two of them. Identities that hold for
// real numbers only, such as x / 7 = x · (1/7), are not used: in double 7 ·
// (1/7) is below 1.
//===----------------------------------------------------------------------===//

/// A call of the C library's function of that name, for functions that Halide
/// lacks.
static Expr callOfDouble(const char *function, const Expr &x) {
  return Internal::Call::make(Float(64), function, {x},
                              Internal::Call::PureExtern);
}

// The result of an operation on one operand.
static Expr appliedToOne(ScalarOp op, const Expr &x) {
  switch (op) {
  case ScalarOp::Negate:
    return -x;
  case ScalarOp::Not:
    return !x;
  case ScalarOp::Sqrt:
    return sqrt(x);
  case ScalarOp::Log:
    return log(x);
  case ScalarOp::Log2:
    return callOfDouble("log2", x);
  case ScalarOp::Exp:
    return exp(x);
  case ScalarOp::Sin:
    return sin(x);
  case ScalarOp::Cos:
    return cos(x);
  case ScalarOp::Floor:
    return floor(x);
  case ScalarOp::Ceil:
    return ceil(x);
  case ScalarOp::Abs:
    return abs(x);
  case ScalarOp::Sign:
    return select(x > Expr(0.0), Expr(1.0),
                  select(x < Expr(0.0), Expr(-1.0), Expr(0.0)));
  case ScalarOp::RoundF32:
    return cast<double>(cast<float>(x));
  case ScalarOp::RoundF16:
    return cast<double>(roundedToFloat16(cast<float>(x)));
  case ScalarOp::RoundBF16:
    return cast<double>(
        reinterpret<float>(cast<uint32_t>(bfloat16Of(cast<float>(x))) << 16));
  default:
    throw std::runtime_error("not an operation on one value");
  }
}

// The result of an operation on two operands.
static Expr appliedToTwo(ScalarOp op, const Expr &a, const Expr &b) {
  switch (op) {
  case ScalarOp::Add:
    return a + b;
  case ScalarOp::Subtract:
    return a - b;
  case ScalarOp::Multiply:
    return a * b;
  case ScalarOp::Divide:
    return a / b;
  case ScalarOp::IntegerDivide:
    return floor(a / b);
  case ScalarOp::Modulo:
    return a - floor(a / b) * b;
  case ScalarOp::Power:
    return pow(a, b);
  case ScalarOp::Equal:
    return a == b;
  case ScalarOp::NotEqual:
    return a != b;
  case ScalarOp::Less:
    return a < b;
  case ScalarOp::LessEqual:
    return a <= b;
  case ScalarOp::Greater:
    return a > b;
  case ScalarOp::GreaterEqual:
    return a >= b;
  case ScalarOp::And:
    return a && b;
  case ScalarOp::Or:
    return a || b;
  case ScalarOp::Min:
    return min(a, b);
  case ScalarOp::Max:
    return max(a, b);
  default:
    throw std::runtime_error("not an operation on two values");
  }
}

// The result of an operation on any number of operands.
static Expr applied(ScalarOp op, const std::vector<Expr> &x) {
  if (x.size() == 1)
    return appliedToOne(op, x[0]);
  if (x.size() == 2)
    return appliedToTwo(op, x[0], x[1]);
  if (op == ScalarOp::Select)
    return select(x[0], x[1], x[2]);
  if (op == ScalarOp::Clamp)
    return min(max(x[0], x[1]), x[2]);
  throw std::runtime_error("no operation on " + std::to_string(x.size()) +
                           " numbers");
}

// Whether an operation is expensive enough to be evaluated by the compiler.
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

/// The position in 0 … `last` that is nearest to `number`, which may exceed the
/// range of 32 bits; 0 for NaN. The outer max(…, 0) is for Halide, whose bounds
/// inference handles intervals of integers only.
static Expr nearestPlace(const Expr &number, int last) {
  Expr fromStart = select(isBelow(Expr(0.0), number), number, Expr(0.0));
  return max(cast<int>(min(fromStart, Expr(static_cast<double>(last)))), 0);
}

Expr Definition::read(const IndexExpr &expr) const {
  const Tensor &array = arrays[expr.array];
  if (array.count.defined())
    return cast<double>(array.count);
  Indices place;
  for (size_t k = 0; k < expr.operands.size(); ++k) {
    // The operand that a select does not choose may be out of range. Past the
    // end of a length, the arrays themselves clamp to the last position.
    const Axis &axis = array.axes[k];
    place.push_back(nearestPlace(at(*expr.operands[k]),
                                 axis.isLength()
                                     ? std::numeric_limits<int>::max()
                                     : static_cast<int>(axis.size) - 1));
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
