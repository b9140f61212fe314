// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures of difference between arrays of the same shape.

#include "compiler/driver/verify/Compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace transfold;
using namespace transfold::driver;

/// Whether two elements are equal, or are both NaN.
static bool areSame(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Σ (scale a − b)² / Σ (scale a)²
static double normalizedError(const std::vector<double> &a,
                              const std::vector<double> &b, double scale) {
  double error = 0, size = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    double x = scale * a[k];
    if (!std::isfinite(x) && areSame(x, b[k]))
      continue;
    error += (x - b[k]) * (x - b[k]);
    size += x * x;
  }
  return size > 0 ? error / size : error;
}

Comparison driver::compare(const std::vector<double> &expected,
                           const std::vector<double> &found) {
  Comparison result{INFINITY, INFINITY, std::nullopt};
  if (expected.size() != found.size())
    return result;
  double size = 0, off = 0, product = 0, square = 0;
  for (size_t k = 0; k < expected.size(); ++k) {
    double a = expected[k], b = found[k];
    if (!areSame(a, b))
      off = std::isnan(a - b) ? INFINITY : std::max(off, std::fabs(a - b));
    if (!std::isfinite(a) || !std::isfinite(b))
      continue;
    size = std::max(size, std::fabs(a));
    product += a * b;
    square += a * a;
  }
  result.largest = off / std::max(size, 1e-300);
  result.nmse = normalizedError(expected, found, 1);
  // One common factor between the arrays: a constant was lost, or applied
  // twice.
  double ratio = square > 0 ? product / square : 1;
  if (std::fabs(ratio - 1) > 1e-3 && ratio != 0 &&
      normalizedError(expected, found, ratio) < 1e-6)
    result.ratio = ratio;
  return result;
}

std::vector<double> driver::withoutMeanRow(const std::vector<double> &values,
                                           size_t width) {
  std::vector<double> result = values;
  auto isPadding = [&](size_t row) {
    auto begin = values.begin() + row * width;
    return std::all_of(begin, begin + width, [](double x) { return x == 0; });
  };
  std::vector<size_t> rows;
  for (size_t row = 0; row < values.size() / width; ++row)
    if (!isPadding(row))
      rows.push_back(row);
  for (size_t column = 0; column < width; ++column) {
    double mean = 0;
    for (size_t row : rows)
      mean += values[row * width + column] / rows.size();
    for (size_t row : rows)
      result[row * width + column] -= mean;
  }
  return result;
}

bool driver::areFloat32(const std::vector<double> &values) {
  return std::ranges::all_of(values, [](double x) {
    return std::isnan(x) || x == static_cast<float>(x);
  });
}

/// The largest element is factored out, so that no exponential overflows.
double driver::logSum(std::span<const double> row) {
  double largest = *std::ranges::max_element(row), total = 0;
  for (double x : row)
    total += std::exp(x - largest);
  return largest + std::log(total);
}

double driver::divergence(const std::vector<double> &expected,
                          const std::vector<double> &found, int64_t columns) {
  double sum = 0;
  int64_t rows = 0;
  for (size_t at = 0; at + columns <= expected.size(); at += columns, ++rows) {
    const auto width = static_cast<size_t>(columns);
    double a = logSum({&expected[at], width}), b = logSum({&found[at], width});
    for (int64_t c = 0; c < columns; ++c) {
      double p = expected[at + c] - a, q = found[at + c] - b;
      sum += std::exp(p) * (p - q);
    }
  }
  return rows ? sum / static_cast<double>(rows) : 0;
}

std::string driver::nameRatio(
    double ratio,
    const std::vector<std::pair<std::string, double>> &constants) {
  std::string text = fmt::format("{:.4g}", ratio);
  auto is = [&](double value) {
    return std::fabs(ratio - value) < 1e-4 * std::fabs(value);
  };
  for (const auto &[name, value] : constants) {
    if (is(value))
      return text + " = " + name;
    if (value != 0 && is(1 / value))
      return text + " = 1 / (" + name + ")";
    if (is(value * value))
      return text + " = (" + name + ")²";
  }
  return text;
}
