// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measurable parameters of contractions; Contraction.cpp explains them.

#include "compiler/kernels/schedule/choose/StoredOperands.h"
#include "compiler/kernels/schedule/tune/Measurable.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

/// The number of columns in panels, including padding; 0 if it is not known.
static int64_t storedColumns(xf::ContractOp product) {
  for (auto [label, axis] : llvm::zip(product.getRhsLabels(),
                                      xf::getShape(product.getRhs().getType())))
    if (!llvm::is_contained(product.getLhsLabels(), label) &&
        llvm::is_contained(product.getLabels(), label))
      if (auto number = xf::getNumber(axis))
        return llvm::alignTo(*number, panelWidth);
  return 0;
}

/// Sums are added in whole vectors, and a tile is a whole number of panels of
/// the weights, or divides one.
static std::string problemOfColumns(xf::KernelOp kernel, xf::ContractOp product,
                                    const Machine &machine, int64_t columns) {
  if (columns % machine.vector)
    return fmt::format("columns: {} is not a multiple of {}", columns,
                       machine.vector);
  if (!isPacked(kernel, product) || panelWidth % columns == 0)
    return "";
  if (columns % panelWidth || blocksOf(kernel, product) ||
      storedColumns(product) % columns)
    return fmt::format("columns: {} does not fit panels of {}", columns,
                       panelWidth);
  return "";
}

/// The unrolling factor must divide the unrolled loop: the terms of a part, if
/// the sum is over single values.
static std::string problemOfUnrolling(xf::KernelOp kernel,
                                      xf::ContractOp product,
                                      const Entries &entries) {
  const int64_t unroll = entries.get(Parameter::Unroll).value_or(1),
                depth = entries.get(Parameter::Depth).value_or(1);
  if (unroll == 1 ||
      (sumsSingleNumbers(kernel, product) && depth % unroll == 0))
    return "";
  return fmt::format("unroll: {} does not divide the loop", unroll);
}

// The reason why entries do not fit the kernel or the registers; empty if they
// do.
static std::string problem(xf::KernelOp kernel, const Machine &machine,
                           const Entries &entries) {
  xf::ContractOp product = *kernel.getBody().getOps<xf::ContractOp>().begin();
  const int64_t columns = *entries.get(Parameter::Columns),
                rows = entries.get(Parameter::Rows).value_or(1);
  // Tiles with as many sums as the registers hold would spill all the time;
  // beyond twice as many, the code would become excessively large.
  if (rows * columns > 2 * machine.registers * machine.vector)
    return fmt::format("rows and columns: {} × {} sums do not fit {} registers "
                       "of {}",
                       rows, columns, machine.registers, machine.vector);
  if (entries.get(Parameter::Tiles) && multipliesPairs(kernel) &&
      columns != panelWidth)
    return fmt::format("columns: {} is not the width of a panel", columns);
  if (entries.get(Parameter::Octets) && rows % 2)
    return fmt::format("rows: {} is not even", rows);
  if (std::string own = problemOfColumns(kernel, product, machine, columns);
      !own.empty())
    return own;
  return problemOfUnrolling(kernel, product, entries);
}

// Tiles with fewer rows than fill the registers waste less if rows are few, or
// not a multiple: 16 rows are 18 in tiles of 6, and 16 in tiles of 4. Half the
// rows and twice the columns load fewer values of x for as many of W. Twice the
// block of rows reads W once where it was read twice (128 rows are 126 and 2),
// half of it leaves more tasks for threads. An unrolled loop has fewer jumps.
// If fewer tiles prefetch the next task's weights, each prefetches more. For a
// single row a tile has only columns: fewer sums wait less for each other, with
// more columns fewer streams begin.
static std::vector<Entries> variations(const Machine &machine,
                                       const Entries &chosen) {
  std::vector<Entries> varied;
  const int64_t columns = *chosen.get(Parameter::Columns),
                rows = chosen.get(Parameter::Rows).value_or(1),
                block = chosen.get(Parameter::Block).value_or(rows);
  if (rows > 2) {
    for (int64_t fewer : {rows - 1, rows - 2})
      varied.push_back(
          chosen.with({{Parameter::Rows, fewer},
                       {Parameter::Block, llvm::alignTo(block, fewer)}}));
    varied.push_back(
        chosen.with({{Parameter::Rows, rows / 2},
                     {Parameter::Columns, 2 * columns},
                     {Parameter::Block, llvm::alignTo(block, rows / 2)}}));
    varied.push_back(chosen.with({{Parameter::Block, 2 * block}}));
    varied.push_back(
        chosen.with({{Parameter::Block, llvm::alignTo(block / 2, rows)}}));
  } else {
    varied.push_back(chosen.with({{Parameter::Columns, columns / 2}}));
    varied.push_back(chosen.with({{Parameter::Columns, 2 * columns}}));
  }
  for (int64_t unroll : {2, 4, 8})
    varied.push_back(chosen.with({{Parameter::Unroll, unroll}}));
  if (auto overlap = chosen.get(Parameter::Overlap))
    varied.push_back(chosen.with({{Parameter::Overlap, *overlap / 2}}));
  if (auto ahead = chosen.get(Parameter::Ahead))
    for (int64_t other : {*ahead / 2, 2 * *ahead})
      varied.push_back(chosen.with({{Parameter::Ahead, other}}));
  return varied;
}

static const Measurable::Number numbers[] = {
    {Parameter::Ahead, 1 << 16}, {Parameter::Block, 1 << 12},
    {Parameter::Columns, 256},   {Parameter::Overlap, 64},
    {Parameter::Rows, 16},       {Parameter::Unroll, 8}};
const Measurable kernels::measurableContraction = {numbers, problem,
                                                   variations};
