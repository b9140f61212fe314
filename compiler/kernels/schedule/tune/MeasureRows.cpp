// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measurable parameters of kernels over rows and of reductions; Rows.cpp
// and Reduction.cpp explain them. The `lanes` in which a row is reduced are not
// measured.

#include "compiler/kernels/schedule/tune/Measurable.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

/// Any number of rows is a task.
static std::string problemOfRows(xf::KernelOp, const Machine &,
                                 const Entries &) {
  return "";
}

/// Columns of a task are held in registers, in whole vectors.
static std::string problemOfReduction(xf::KernelOp, const Machine &machine,
                                      const Entries &entries) {
  const int64_t columns = *entries.get(Parameter::Columns);
  // A narrow axis has half of the columns, or a fourth, and so on.
  if (columns % machine.vector || !llvm::isPowerOf2_64(columns) ||
      columns > machine.registers * machine.vector)
    return fmt::format("columns: {} is not a power of two of whole vectors of "
                       "{} in {} registers",
                       columns, machine.vector, machine.registers);
  return "";
}

// Longer tasks start less often, shorter ones are distributed better among
// threads.
static std::vector<Entries> variationsOf(Parameter parameter,
                                         const Entries &chosen,
                                         ArrayRef<int64_t> numbers) {
  std::vector<Entries> varied;
  for (int64_t number : numbers)
    varied.push_back(chosen.with({{parameter, number}}));
  return varied;
}

/// Tasks of fewer and of more rows than the rule's 16.
static std::vector<Entries> variationsOfRows(const Machine &,
                                             const Entries &chosen) {
  return variationsOf(Parameter::Block, chosen, {4, 8, 32, 64});
}

/// Fewer and more columns of a task, and fewer and more rows.
static std::vector<Entries> variationsOfReduction(const Machine &machine,
                                                  const Entries &chosen) {
  auto varied = variationsOf(Parameter::Columns, chosen,
                             {2 * machine.vector, 8 * machine.vector});
  llvm::append_range(varied, variationsOf(Parameter::Rows, chosen, {4, 64}));
  return varied;
}

static const Measurable::Number numbersOfRows[] = {{Parameter::Block, 1 << 12}};
static const Measurable::Number numbersOfReduction[] = {
    {Parameter::Columns, 256}, {Parameter::Rows, 1 << 12}};
const Measurable kernels::measurableRows = {numbersOfRows, problemOfRows,
                                            variationsOfRows};
const Measurable kernels::measurableReduction = {
    numbersOfReduction, problemOfReduction, variationsOfReduction};
/// Nothing of a recurrence is measured.
const Measurable kernels::measurableScan = {
    {}, problemOfRows, [](const Machine &, const Entries &) {
      return std::vector<Entries>();
    }};
