// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of schedules, as each anchor chooses them for a machine.

#pragma once

#include "compiler/kernels/schedule/choose/Target.h"
#include "dialect/Dialect.h"

#include <initializer_list>
#include <map>
#include <optional>

namespace transfold::kernels {

using Parameter = xf::ScheduleParameter;

/// The content of a `schedule` attribute: integers, and bounds as affine maps.
class Entries {
public:
  /// The integer entries; bounds are added with `set`.
  Entries(std::initializer_list<std::pair<Parameter, int64_t>> own)
      : numbers(own.begin(), own.end()) {}

  /// Adds an entry, or changes it.
  void set(Parameter parameter, int64_t number) {
    numbers.insert_or_assign(parameter, number);
  }
  /// Adds a bound of keys, or changes it: a map from the first and last query
  /// of a task to keys.
  void set(Parameter parameter, mlir::AffineMap bound) {
    bounds.insert_or_assign(parameter, bound);
  }

  /// Removes an integer entry, if it exists.
  void remove(Parameter parameter) { numbers.erase(parameter); }

  /// A copy with additional or changed entries.
  Entries
  with(std::initializer_list<std::pair<Parameter, int64_t>> other) const {
    Entries entries = *this;
    for (auto [parameter, number] : other)
      entries.set(parameter, number);
    return entries;
  }

  /// The integer entry of a parameter; nullopt if there is none.
  std::optional<int64_t> get(Parameter parameter) const {
    auto found = numbers.find(parameter);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }

  /// The entries as a `schedule` attribute.
  mlir::DictionaryAttr asAttribute(mlir::MLIRContext *context) const {
    mlir::Builder builder(context);
    mlir::NamedAttrList entries;
    for (auto [parameter, number] : numbers)
      entries.append(xf::stringifyScheduleParameter(parameter),
                     builder.getI64IntegerAttr(number));
    for (auto [parameter, bound] : bounds)
      entries.append(xf::stringifyScheduleParameter(parameter),
                     mlir::AffineMapAttr::get(bound));
    return entries.getDictionary(context);
  }

private:
  std::map<Parameter, int64_t> numbers;
  std::map<Parameter, mlir::AffineMap> bounds;
};

/// Number of partial sums of a row's norm on a device, in kernels of rows and
/// in those of products: a row has the same bits wherever its norm is computed.
constexpr int64_t lanesOfNorms = 128;

/// Chooses the entries of a kernel's schedule on a machine. Fails with a
/// diagnostic if the kernel does not have the form of its anchor.
using Choose = mlir::FailureOr<Entries>(xf::KernelOp kernel,
                                        const Machine &machine);

/// The functions for each anchor, kind of machine, and small-M form.
Choose chooseContraction, chooseContractionOnGpu, chooseContractionOfFewRows,
    chooseContractionOfSeveralRows;
Choose chooseFewRowsOnGpu, chooseSeveralRowsOnGpu;
Choose chooseAttention, chooseAttentionOnGpu, chooseAttentionOfFewRows;
Choose chooseAttentionOfOneRowOnGpu, chooseAttentionOfFewRowsOnGpu;
Choose chooseRows, chooseReduction, chooseRowsOnGpu;
Choose chooseScan, chooseScanOnGpu;

/// Whether a small-M form of a contraction is possible on a processor: its
/// result must be a matrix whose rows have a length.
bool canHaveFewRowsOfContraction(xf::KernelOp kernel);
/// The same for a contraction on a GPU.
bool canHaveFewRowsOnGpu(xf::KernelOp kernel);
/// The same for an attention on a processor.
bool canHaveFewRowsOfAttention(xf::KernelOp kernel);
/// The same for an attention on a GPU.
bool canHaveFewRowsOfAttentionOnGpu(xf::KernelOp kernel);

} // namespace transfold::kernels
