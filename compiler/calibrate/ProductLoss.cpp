// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures products by computing them: with the weight as it is, in double, and
// with its rounded form, as the kernels round it.

#include "compiler/calibrate/ProductLoss.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/fold/FewerBits.h"
#include "compiler/reference/StoredNumbers.h"
#include "dialect/weights/Storage.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::calibrate;

/// The number of columns that are measured: all columns are rounded in the same
/// way, and their errors differ only randomly.
constexpr int64_t columnsTaken = 32;

ProductLoss::ProductLoss(xf::StoredOp stored, int64_t member, unsigned axis,
                         const checkpoint::Checkpoint &checkpoint,
                         const Rows &rows)
    : rows(rows) {
  reference::Tensor all = reference::readUnfolded(stored, member, &checkpoint);
  const double factor = stored.getFactor(member).toDouble();
  const reference::Tensor ordered = withLast(all, axis);
  const int64_t count = ordered.size() / rows.width,
                taken = std::min(count, columnsTaken);
  for (int64_t k = 0; k < taken; ++k) {
    const double *from = &ordered.data[k * count / taken * rows.width];
    auto &column = columns.emplace_back(from, from + rows.width);
    for (float &number : column) {
      number *= static_cast<float>(factor);
      if (!std::isfinite(number))
        throw reference::InterpreterError(
            reference::nameOf(stored, member, checkpoint) +
            " has an element that is infinite or NaN, so that it cannot be "
            "quantized");
    }
    auto &products = exact.emplace_back(rows.count());
    for (size_t at = 0; at < rows.kept.size(); ++at)
      products[at / rows.width] +=
          static_cast<double>(rows.kept[at]) * column[at % rows.width];
  }
}

/// From all rows that were seen, not only from those that were kept.
std::vector<double> ProductLoss::channels() const {
  std::vector<double> means = rows.squares;
  for (double &mean : means)
    mean /= static_cast<double>(rows.seen);
  return means;
}

std::vector<double> ProductLoss::weights() const {
  std::vector<double> means(rows.width);
  for (const auto &column : columns)
    for (int64_t k = 0; k < rows.width; ++k)
      means[k] += column[k] * column[k] / static_cast<double>(columns.size());
  return means;
}

std::vector<float> ProductLoss::counts(ArrayRef<float> g) const {
  constexpr double least = 1e-30; // xf.channel_scales must be positive
  std::vector<float> counts;
  for (auto [k, mean] : llvm::enumerate(channels()))
    counts.push_back(static_cast<float>(std::max(
        g.empty() ? mean : mean / (static_cast<double>(g[k]) * g[k]), least)));
  return counts;
}

/// The rows of x / g as the contraction reads them: `group` elements rounded to
/// integers with a common scale; 0: exact.
std::vector<float> ProductLoss::divided(ArrayRef<float> g, size_t group) const {
  std::vector<float> x = rows.kept;
  for (size_t k = 0; k < x.size() && !g.empty(); ++k)
    x[k] /= g[k % rows.width];
  for (size_t first = 0; group && first < x.size(); first += group) {
    std::span<float> numbers(&x[first], group);
    float largest = 0;
    for (float number : numbers)
      largest = std::max(largest, std::abs(number));
    const float scale = largest / 127;
    for (float &number : numbers)
      number = scale == 0 ? 0 : scale * std::nearbyint(number / scale);
  }
  return x;
}

double ProductLoss::of(const Rounding &rounding, ArrayRef<float> g) const {
  const BlockFormat &format = *xf::blockFormatOf(rounding.format);
  const auto &read =
      checkpoint::formatNamed(xf::stringifyFormat(rounding.format));
  const std::vector<float> x =
      divided(g, rounding.integerProducts ? fold::numbersOfScale(format) : 0);
  const auto errorsCount = rounding.weighs ? counts(g) : std::vector<float>();
  double lost = 0, all = 0;
  std::vector<float> scaled(rows.width);
  std::vector<double> rounded(rows.width);
  std::vector<std::byte> block(format.bytes);
  for (const auto &[column, products] : llvm::zip(columns, exact)) {
    for (int64_t k = 0; k < rows.width; ++k)
      scaled[k] = g.empty() ? column[k] : column[k] * g[k];
    for (int64_t k = 0; k < rows.width; k += format.numbers) {
      std::span<const float> own;
      if (!errorsCount.empty())
        own = {&errorsCount[k], static_cast<size_t>(format.numbers)};
      encodeBlock(format, {&scaled[k], static_cast<size_t>(format.numbers)},
                  own, block.data());
      read.read(block.data(), 0, 1,
                {&rounded[k], static_cast<size_t>(format.numbers)});
    }
    for (int64_t r = 0; r < rows.count(); ++r) {
      double found = 0;
      for (int64_t k = 0; k < rows.width; ++k)
        found += x[r * rows.width + k] * rounded[k];
      lost += (found - products[r]) * (found - products[r]);
      all += products[r] * products[r];
    }
  }
  return all > 0 ? lost / all : 0;
}
