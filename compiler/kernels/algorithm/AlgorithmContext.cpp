// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, lengths, and the reduction of lanes to one value: by halves on a
// processor, which are vector additions, and sequentially on a device.

#include "compiler/kernels/algorithm/AlgorithmContext.h"

#include <fmt/format.h>

using namespace Halide;

namespace transfold::kernels {

/// The operations of Join, which holds plain function pointers.
static Expr plus(const Expr &a, const Expr &b) { return a + b; }
static Expr maximumOf(const Expr &a, const Expr &b) { return max(a, b); }

Join Join::sum() { return {0.0f, plus}; }
Join Join::maximum() {
  return {Float(32).min(), maximumOf, /*isInAnyOrder=*/true};
}
Join Join::maximumOfOrders() {
  return {Int(32).min(), maximumOf, /*isInAnyOrder=*/true};
}

// Halide makes equal names distinct with a counter of the process. Names that
// begin with the kernel's own keep the output independent of the other kernels
// that are compiled in the same process.
std::string AlgorithmContext::uniqueName(const std::string &operation) {
  return fmt::format("{}_{}{}", algorithm.name, operation, operations++);
}

Expr AlgorithmContext::extent(const Axis &axis) const {
  if (!axis.isLength())
    return static_cast<int>(axis.size);
  auto found = lengths.find(axis.length);
  if (found == lengths.end())
    throw std::runtime_error("length " + axis.length +
                             " is needed, but no argument has it");
  return found->second;
}

std::vector<Func> AlgorithmContext::inHalves(const std::string &operation,
                                             Func lanes, int width,
                                             const Join &join) {
  if (width & (width - 1))
    throw std::runtime_error(std::to_string(width) + " lanes have no halves");
  std::vector<Func> halves;
  for (int half = width / 2; half > 0; half /= 2) {
    std::vector<Var> variables = lanes.args();
    std::vector<Expr> first(variables.begin(), variables.end());
    std::vector<Expr> second = first;
    second[0] += half;
    Func folded(uniqueName(operation + "_half"));
    folded(variables) = join.of(lanes(first), lanes(second));
    halves.push_back(folded);
    lanes = folded;
  }
  return halves;
}

void AlgorithmContext::reduceLanes(RowReduction &reduction,
                                   const std::string &operation,
                                   const std::vector<Var> &rows, int width,
                                   const Join &join) {
  std::vector<Expr> arguments(rows.begin(), rows.end());
  reduction.total = Func(uniqueName(operation));
  auto add = [&](const Expr &other) {
    reduction.total(rows) = join.start;
    reduction.total(arguments) = join.of(reduction.total(arguments), other);
  };
  std::vector<Expr> one = arguments;
  if (isOnDevice) {
    reduction.across = RDom(0, width, uniqueName("across"));
    one.insert(one.begin(), reduction.across);
    add(reduction.lanes(one));
    return;
  }
  reduction.halves = inHalves(operation, reduction.lanes, width, join);
  Func last = width == 1 ? reduction.lanes : reduction.halves.back();
  one.insert(one.begin(), 0);
  if (!reduction.parts.defined()) {
    reduction.total(rows) = last(one);
    return;
  }
  one.emplace_back(reduction.parts);
  add(last(one));
}

Tensor AlgorithmContext::rowNumber(
    const std::string &operation, const Tensor &reduced,
    const std::function<Expr(const Indices &, const Expr &)> &function) {
  Func number(uniqueName(operation));
  std::vector<Var> rows = indexVariables(reduced.axes.size());
  Indices row(rows.begin(), rows.end());
  number(innermostFirst(rows, reduced.piece)) = function(row, reduced.at(row));
  algorithm.rowNumbers.push_back(number);
  Tensor result{reduced.axes, entriesOf(number, reduced.piece), true};
  result.piece = reduced.piece;
  return result;
}

} // namespace transfold::kernels
