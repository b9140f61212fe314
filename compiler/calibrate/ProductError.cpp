// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/calibrate/ProductError.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "dialect/Storage.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::calibrate;

/// Columns that are looked at: the others are rounded in the same way, and what
/// they lose differs by chance.
constexpr int64_t columnsTaken = 32;
/// Numbers of x with one scale (xf.quantize).
constexpr int64_t integersOfX = 32;

ProductError::ProductError(xf::StoredOp stored, int64_t member, unsigned axis,
                           const checkpoint::Checkpoint &checkpoint,
                           const Rows &rows)
    : rows(rows) {
  reference::Tensor all = reference::readUnfolded(stored, member, &checkpoint);
  const double factor = stored.getFactor(member).toDouble();
  std::vector<int64_t> shape = all.shape, strides = all.strides();
  std::rotate(shape.begin() + axis, shape.begin() + axis + 1, shape.end());
  std::rotate(strides.begin() + axis, strides.begin() + axis + 1,
              strides.end());
  reference::Tensor ordered = reference::strided(all, shape, strides);
  const int64_t count = ordered.size() / rows.width,
                taken = std::min(count, columnsTaken);
  for (int64_t k = 0; k < taken; ++k) {
    const double *from = &ordered.data[k * count / taken * rows.width];
    auto &column = columns.emplace_back(from, from + rows.width);
    for (float &number : column)
      number *= static_cast<float>(factor);
  }
}

std::vector<double> ProductError::channels() const {
  std::vector<double> means = rows.squares;
  for (double &mean : means)
    mean /= static_cast<double>(rows.seen);
  return means;
}

std::vector<double> ProductError::weights() const {
  std::vector<double> means(rows.width);
  for (const auto &column : columns)
    for (int64_t k = 0; k < rows.width; ++k)
      means[k] += column[k] * column[k] / static_cast<double>(columns.size());
  return means;
}

/// Rows of x / g, as a product gets them.
std::vector<float> ProductError::divided(ArrayRef<float> g, bool rounds) const {
  std::vector<float> x = rows.kept;
  for (size_t k = 0; k < x.size() && !g.empty(); ++k)
    x[k] /= g[k % rows.width];
  if (!rounds)
    return x;
  for (size_t first = 0; first < x.size(); first += integersOfX) {
    std::span<float> group(&x[first], integersOfX);
    float largest = 0;
    for (float number : group)
      largest = std::max(largest, std::abs(number));
    const float scale = largest / 127;
    for (float &number : group)
      number = scale == 0 ? 0 : scale * std::nearbyint(number / scale);
  }
  return x;
}

double ProductError::of(const Rounding &rounding, ArrayRef<float> g) const {
  const BlockFormat &format = *xf::blockFormatOf(rounding.format);
  const auto &read =
      checkpoint::formatNamed(xf::stringifyFormat(rounding.format));
  const std::vector<float> x = divided(g, rounding.integerProducts);
  std::vector<float> counts;
  if (rounding.weighs)
    for (auto [k, mean] : llvm::enumerate(channels()))
      counts.push_back(static_cast<float>(
          g.empty() ? mean : mean / (static_cast<double>(g[k]) * g[k])));
  double lost = 0, all = 0;
  std::vector<float> scaled(rows.width);
  std::vector<double> rounded(rows.width);
  std::vector<std::byte> block(format.bytes);
  for (const auto &column : columns) {
    for (int64_t k = 0; k < rows.width; ++k)
      scaled[k] = g.empty() ? column[k] : column[k] * g[k];
    for (int64_t k = 0; k < rows.width; k += format.numbers) {
      std::span<const float> own;
      if (!counts.empty())
        own = {&counts[k], static_cast<size_t>(format.numbers)};
      encodeBlock(format, {&scaled[k], static_cast<size_t>(format.numbers)},
                  own, block.data());
      read.read(block.data(), 0, 1,
                {&rounded[k], static_cast<size_t>(format.numbers)});
    }
    for (int64_t r = 0; r < rows.count(); ++r) {
      double exact = 0, found = 0;
      for (int64_t k = 0, at = r * rows.width; k < rows.width; ++k, ++at) {
        exact += static_cast<double>(rows.kept[at]) * column[k];
        found += x[at] * rounded[k];
      }
      lost += (found - exact) * (found - exact);
      all += exact * exact;
    }
  }
  return all > 0 ? lost / all : 0;
}
