// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables by index, rotations, softmaxes and windows: operations whose result
// depends on positions.

#include "compiler/reference/EvaluatePositions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

Tensor reference::tabulate(const Numbers &numbers, xf::TabulateOp op,
                           ArrayRef<const Tensor *> arrays, int64_t first,
                           const std::vector<int64_t> &shape) {
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
  const TableReader reader{read, [&](int array) {
                             return isa<xf::RealType>(
                                 op->getOperand(array).getType());
                           }};
  const bool isReal = isa<xf::RealType>(op.getResult().getType());
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
    result.data[k] =
        numbers.tabulate(*definition.body, indices, reader, isReal);
  }
  return result;
}

Tensor reference::rotate(const Numbers &numbers,
                         ArrayRef<const Tensor *> operands) {
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
      result.data[row * width + c] = numbers.subtract(
          numbers.multiply(a, cosine), numbers.multiply(b, sine));
      result.data[row * width + half + c] =
          numbers.add(numbers.multiply(b, cosine), numbers.multiply(a, sine));
    }
  return result;
}

/// Whether a row contains NaN, with which no order of its elements exists.
static bool hasNaN(const Numbers &numbers, const double *row, int64_t width) {
  return std::any_of(row, row + width,
                     [&](double x) { return numbers.isNaN(x); });
}

namespace {
/// One row of a softmax.
struct SoftmaxRow {
  const Numbers &numbers;
  const SoftmaxOptions &options;
  MutableArrayRef<double> row;

  /// Replaces the scores by their shares; `isSeen` are the entries that count.
  /// Fails if there are none.
  bool compute(llvm::function_ref<bool(int64_t)> isSeen,
               std::optional<double> sink) {
    std::optional<double> shift;
    for (auto [j, score] : llvm::enumerate(row))
      if (isSeen(static_cast<int64_t>(j)))
        shift = shift ? numbers.shiftOf(*shift, score) : score;
    if (!shift && !sink)
      return false;
    double seenShift = shift.value_or(sink.value_or(0));
    // Scales by the larger of the two maxima: with a sink far above all scores
    // its power would be infinite.
    const double whole = sink ? numbers.shiftOf(seenShift, *sink) : seenShift;
    const double scale = power(numbers.subtract(seenShift, whole));
    double sum = numbers.integer(0);
    for (auto [j, score] : llvm::enumerate(row)) {
      score =
          isSeen(static_cast<int64_t>(j))
              ? numbers.multiply(
                    rounded(power(numbers.subtract(score, seenShift))), scale)
              : numbers.integer(0);
      sum = numbers.add(sum, score);
    }
    if (sink)
      sum = numbers.add(sum, power(numbers.subtract(*sink, whole)));
    const double factor = numbers.divide(options.factor, sum);
    for (double &share : row)
      share = numbers.multiply(share, factor);
    return true;
  }

private:
  double power(double x) const {
    return numbers.exponential(x, options.exponent);
  }
  double rounded(double x) const {
    return options.isRounded ? numbers.round(xf::Format::BF16, x) : x;
  }
};
} // namespace

Tensor reference::softmax(const Numbers &numbers, const Tensor &input,
                          const SoftmaxOptions &options) {
  const auto &[mask, among, sink, first, exponent, factor, isRounded] = options;
  Tensor result = input;
  int64_t width = input.shape.empty() ? 1 : input.shape.back();
  int64_t rows = mask ? input.shape[input.shape.size() - 2] : 1;
  for (int64_t start = 0; start < result.size(); start += width) {
    MutableArrayRef<double> row(&result.data[start], width);
    const double *chosen = among ? &among->data[start] : nullptr;
    // With NaN it is undefined which entries are chosen.
    if (chosen && hasNaN(numbers, chosen, width)) {
      std::fill(row.begin(), row.end(), NAN);
      continue;
    }
    const double zero = numbers.integer(0);
    auto isSeen = [&](int64_t j) {
      return chosen
                 ? numbers.isLess(zero, chosen[j])
                 : !mask || mask.holds(options.first + start / width % rows, j);
    };
    std::optional<double> ofSink;
    if (sink)
      ofSink = sink->data[start / (result.size() / sink->size())];
    // Without a visible key there is nothing to divide by. Proofs exclude that
    // for masks (findHiddenRow), so it is an error here instead of a row of
    // NaN.
    if (!SoftmaxRow{numbers, options, row}.compute(isSeen, ofSink))
      throw InterpreterError(fmt::format(
          "the mask hides all keys from position {}", start / width % rows));
  }
  return result;
}

Tensor reference::top(const Numbers &numbers, const Tensor &input,
                      int64_t count) {
  Tensor result(input.shape);
  size_t width = input.shape.back();
  for (int64_t start = 0; start < input.size(); start += width) {
    std::span<double> marks(&result.data[start], width);
    if (hasNaN(numbers, &input.data[start], width)) {
      std::ranges::fill(marks, NAN);
      continue;
    }
    const std::vector<double> order =
        numbers.orderOf({&input.data[start], width});
    std::vector<size_t> places(width);
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, std::greater(),
                             [&](size_t place) { return order[place]; });
    for (int64_t k = 0; k < count; ++k)
      marks[places[k]] = numbers.integer(1);
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
