// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions by index as Halide expressions in double, rounded once at the
// end; rotations; windows.
//
// What depends on one axis of known size alone and is dear (10000^(2c/d)) is
// computed while compiling and read from the kernel's own constants. A bias
// that depends on the distance j - i only is made once for each distance, in
// double, and not for each pair.

#include "compiler/kernels/Tensor.h"

#include <set>

using namespace Halide;

namespace transfold::kernels {

//===----------------------------------------------------------------------===//
// Scalar operations
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
// Definitions
//===----------------------------------------------------------------------===//

namespace {
/// One definition at indices that are integers.
class Definition {
public:
  Definition(const std::vector<Axis> &axes, const std::vector<Tensor> &arrays,
             const Indices &indices)
      : axes(axes), arrays(arrays), indices(indices) {}

  Expr at(const IndexExpr &expr) const {
    if (auto axis = onlyAxis(expr))
      return constants(expr, *axis);
    switch (expr.kind) {
    case IndexExpr::Kind::Constant:
      return expr.boolean ? Expr(expr.value != 0) : Expr(expr.value);
    case IndexExpr::Kind::Index:
      return cast<double>(indices[expr.index]);
    case IndexExpr::Kind::Read: {
      const Tensor &array = arrays[expr.array];
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
    case IndexExpr::Kind::Operation:
      break;
    }
    std::vector<Expr> operands;
    for (const IndexExprPtr &operand : expr.operands)
      operands.push_back(at(*operand));
    return applied(expr.op, operands);
  }

private:
  /// The axis of known size that a dear expression depends on, alone.
  std::optional<int> onlyAxis(const IndexExpr &expr) const {
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

  Expr constants(const IndexExpr &expr, int axis) const {
    int size = static_cast<int>(axes[axis].size);
    Buffer<double> table(size);
    std::vector<int64_t> place(axes.size(), 0);
    for (place[axis] = 0; place[axis] < size; ++place[axis])
      table(static_cast<int>(place[axis])) = evaluate(expr, place);
    return table(clamp(indices[axis], 0, size - 1));
  }

  const std::vector<Axis> &axes;
  const std::vector<Tensor> &arrays;
  const Indices &indices;
};
} // namespace

Tensor AlgorithmBuilder::tabulate(const IndexExpr &body,
                                  const std::vector<Tensor> &arrays,
                                  std::vector<Axis> axes) {
  auto entry = [=](const Indices &i) {
    return cast<float>(Definition(axes, arrays, i).at(body));
  };
  size_t rank = axes.size();
  bool overPairs =
      rank >= 2 && axes[rank - 1].isLength() && axes[rank - 2].isLength();
  if (!overPairs ||
      !dependsOnDistanceOnly(body, int(rank - 2), int(rank - 1), rank))
    return define("tabulate", axes, entry);

  // f(…, i, j) = distances(…, j - i), with distances(…, r) = f(…, 0, r).
  Func distances(uniqueName("distances"));
  std::vector<Var> variables = indexVariables(rank - 1);
  Indices indices(variables.begin(), variables.end());
  indices.insert(indices.end() - 1, Expr(0));
  distances(innermostFirst(variables)) = entry(indices);
  algorithm.distances.push_back(distances);
  auto at = [=](const Indices &i) {
    Indices place(i.begin(), i.end() - 2);
    place.push_back(i[rank - 1] - i[rank - 2]);
    return Expr(distances(innermostFirst(place)));
  };
  return {std::move(axes), at, true};
}

//===----------------------------------------------------------------------===//
// Rotations and windows
//===----------------------------------------------------------------------===//

Tensor AlgorithmBuilder::rotate(const Tensor &input, const Tensor &cosines,
                                const Tensor &sines) {
  int half = static_cast<int>(input.axes.back().size) / 2;
  return define("rotate", input.axes, [&](const Indices &i) {
    // By remainders, so that no choice of column lies outside.
    Expr column = i.back(), isFirst = column < half;
    Indices other = i, angle = {i[i.size() - 2], column % half};
    other.back() = (column + half) % (2 * half);
    Expr partner = input.at(other);
    return input.at(i) * cosines.at(angle) +
           Halide::select(isFirst, -partner, partner) * sines.at(angle);
  });
}

Tensor AlgorithmBuilder::windows(const Tensor &input, int64_t stride,
                                 int64_t pad, std::vector<Axis> axes) {
  Expr rows = extent(input.axes[0]);
  return define("windows", std::move(axes), [&](const Indices &i) {
    Expr row = i[0] * static_cast<int>(stride) + i[1] - static_cast<int>(pad);
    return Halide::select(row >= 0 && row < rows,
                          input.at({clamp(row, 0, rows - 1), i[2]}), 0.0f);
  });
}

} // namespace transfold::kernels
