// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables by index, rotations, softmaxes and windows: operations whose result
// depends on positions.

#include "compiler/reference/EvaluatePositions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

/// A value of a table, with each step of its arithmetic rounded to float32: far
/// from the beginning, angles lose digits. Operands of comparisons and indices
/// of reads are integers and exact.
static double inFloat32(const IndexExpr &expr, std::span<const int64_t> indices,
                        const ArrayReader &read) {
  if (expr.kind != IndexExpr::Kind::Operation)
    return static_cast<float>(evaluate(expr, indices, read));
  auto exact = [&](const IndexExpr &operand) {
    return evaluate(operand, indices, read);
  };
  auto rounded = [&](const IndexExpr &operand) {
    return inFloat32(operand, indices, read);
  };
  return static_cast<float>(evaluateOperation(expr, exact, rounded));
}

Tensor reference::tabulate(xf::TabulateOp op, ArrayRef<const Tensor *> arrays,
                           int64_t first, const std::vector<int64_t> &shape,
                           Precision precision) {
  IndexDefinition definition = op.getDefinition().getValue();
  auto read = [&](int array, std::span<const int64_t> indices) {
    const Tensor &from = *arrays[array];
    int64_t place = 0;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      if (indices[axis] < 0 || indices[axis] >= from.shape[axis])
        throw InterpreterError(fmt::format("index {} is outside an axis of {}",
                                           indices[axis], from.shape[axis]));
      place += indices[axis] * from.strides()[axis];
    }
    return from.data[place];
  };
  Tensor result(shape);
  std::vector<int64_t> indices(shape.size());
  for (int64_t k = 0; k < result.size(); ++k) {
    int64_t rest = k;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      indices[axis] = rest % shape[axis];
    // Only the axis of the positions is moved: a table over pairs keeps the
    // keys at their absolute positions.
    if (first)
      indices[*op.getPositionAxis()] += first;
    result.data[k] = precision == Precision::Float32
                         ? inFloat32(*definition.body, indices, read)
                         : evaluate(*definition.body, indices, read);
  }
  return result;
}

Tensor reference::rotate(ArrayRef<const Tensor *> operands) {
  const Tensor &x = *operands[0], &cosines = *operands[1],
               &sines = *operands[2];
  Tensor result = x;
  int64_t width = x.shape.back(), half = width / 2;
  int64_t rows = x.shape[x.shape.size() - 2];
  for (int64_t row = 0; width && row < x.size() / width; ++row)
    for (int64_t c = 0; c < half; ++c) {
      double cosine = cosines.data[row % rows * half + c];
      double sine = sines.data[row % rows * half + c];
      double a = x.data[row * width + c], b = x.data[row * width + half + c];
      result.data[row * width + c] = a * cosine - b * sine;
      result.data[row * width + half + c] = b * cosine + a * sine;
    }
  return result;
}

/// Whether a row contains NaN, with which no order of its elements exists.
static bool hasNaN(const double *row, int64_t width) {
  return std::any_of(row, row + width, [](double x) { return std::isnan(x); });
}

Tensor reference::softmax(const Tensor &input, xf::MaskAttr mask,
                          const Tensor *among, const Tensor *sink,
                          int64_t first, std::optional<double> exponent,
                          double factor, double (*rounded)(double)) {
  auto power = [&](double x) {
    return exponent ? std::exp2(x * *exponent) : std::exp(x);
  };
  Tensor result = input;
  int64_t width = input.shape.empty() ? 1 : input.shape.back();
  int64_t rows = mask ? input.shape[input.shape.size() - 2] : 1;
  for (int64_t start = 0; start < result.size(); start += width) {
    double *row = &result.data[start];
    const double *chosen = among ? &among->data[start] : nullptr;
    // With NaN it is undefined which entries are chosen.
    if (chosen && hasNaN(chosen, width)) {
      std::fill_n(row, width, NAN);
      continue;
    }
    auto isSeen = [&](int64_t j) {
      return chosen ? chosen[j] > 0
                    : !mask || mask.holds(first + start / width % rows, j);
    };
    double largestSeen = -INFINITY, sum = 0;
    for (int64_t j = 0; j < width; ++j)
      if (isSeen(j))
        largestSeen = std::max(largestSeen, row[j]);
    double ofSink =
        sink ? sink->data[start / (result.size() / sink->size())] : -INFINITY;
    // Scales by the larger of the two maxima: with a sink far above all scores
    // its power would be infinite.
    const double largest = std::max(ofSink, largestSeen),
                 scale = power(largestSeen - largest);
    for (int64_t j = 0; j < width; ++j)
      sum += row[j] =
          isSeen(j) ? rounded(power(row[j] - largestSeen)) * scale : 0;
    if (sink)
      sum += power(ofSink - largest);
    // Without a visible key all powers are 0. Proofs exclude that for masks
    // (findHiddenRow), so it is an error here instead of a row of NaN.
    if (sum == 0)
      throw InterpreterError(fmt::format(
          "the mask hides all keys from position {}", start / width % rows));
    for (int64_t j = 0; j < width; ++j)
      row[j] *= factor / sum;
  }
  return result;
}

Tensor reference::top(const Tensor &input, int64_t count) {
  Tensor result(input.shape);
  int64_t width = input.shape.back();
  std::vector<int64_t> order(width);
  for (int64_t start = 0; start < input.size(); start += width) {
    if (hasNaN(&input.data[start], width)) {
      std::fill_n(&result.data[start], width, NAN);
      continue;
    }
    std::iota(order.begin(), order.end(), start);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return input.data[a] > input.data[b];
    });
    for (int64_t k = 0; k < count; ++k)
      result.data[order[k]] = 1;
  }
  return result;
}

Tensor reference::windows(xf::UnfoldOp op, const Tensor &input,
                          const std::vector<int64_t> &shape) {
  Tensor result(shape);
  int64_t size = shape[1], columns = shape.size() > 2 ? shape[2] : 1;
  int64_t last = input.shape[0] - 1;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t k = 0; k < size; ++k) {
      int64_t from = row * static_cast<int64_t>(op.getStride()) + k -
                     static_cast<int64_t>(op.getPad());
      if (op.getReflected())
        from = last - std::abs(last - std::abs(from));
      if (from >= 0 && from < input.shape[0])
        std::copy_n(&input.data[from * columns], columns,
                    &result.data[(row * size + k) * columns]);
    }
  return result;
}

Tensor reference::delayed(xf::DelayOp op, const Tensor &input, int64_t first,
                          const std::vector<int64_t> &shape) {
  Tensor result(shape);
  const unsigned axis = op.getAxis();
  const int64_t inner = result.strides()[axis],
                back = static_cast<int64_t>(op.getBy()) - first;
  const int64_t rows = shape[axis], allRows = input.shape[axis];
  for (int64_t outer = 0; outer * rows * inner < result.size(); ++outer)
    for (int64_t row = std::max<int64_t>(back, 0); row < rows; ++row)
      std::copy_n(&input.data[(outer * allRows + row - back) * inner], inner,
                  &result.data[(outer * rows + row) * inner]);
  return result;
}
