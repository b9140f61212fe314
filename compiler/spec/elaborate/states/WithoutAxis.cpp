// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/elaborate/states/WithoutAxis.h"

#include "compiler/spec/syntax/Diagnostic.h"

#include <algorithm>
#include <type_traits>

namespace transfold::spec {

namespace {

/// Operations on each element, which keep all axes.
template <typename Operation>
constexpr bool isOfElements = std::is_same_v<Operation, step::Scale> ||
                              std::is_same_v<Operation, step::Apply> ||
                              std::is_same_v<Operation, step::Power> ||
                              std::is_same_v<Operation, step::Clamp> ||
                              std::is_same_v<Operation, step::Round> ||
                              std::is_same_v<Operation, step::Normalize>;

/// Operations on two operands with labels.
template <typename Operation>
constexpr bool isLabelled = std::is_same_v<Operation, step::Contract> ||
                            std::is_same_v<Operation, step::Elementwise>;

/// Operations along another axis, which stays or disappears.
template <typename Operation>
constexpr bool isAlongAxis = std::is_same_v<Operation, step::Slice> ||
                             std::is_same_v<Operation, step::Repeat> ||
                             std::is_same_v<Operation, step::Select> ||
                             std::is_same_v<Operation, step::Reduce>;

[[noreturn]] void refuse(const Place &at) {
  throw SpecError(Code::NotSupported, at,
                  "this operation on a state is not supported yet",
                  {"A recurrence can compute with products, elementwise "
                   "functions, norms, slices, sums and softmax of its state."});
}

} // namespace

bool WithoutAxis::dependsOnState(const Step &step) const {
  auto depends = [&](ValueId value) { return axes.contains(value); };
  return std::visit(
      [&]<typename Operation>(const Operation &operation) {
        if constexpr (isLabelled<Operation>)
          return depends(operation.a.value) || depends(operation.b.value);
        else if constexpr (std::is_same_v<Operation, step::Append>)
          return depends(operation.a) || depends(operation.b);
        else if constexpr (std::is_same_v<Operation, step::Gather>)
          return depends(operation.table);
        else if constexpr (std::is_same_v<Operation, step::Loop>)
          return std::ranges::any_of(operation.carried, depends);
        else if constexpr (std::is_same_v<Operation, step::Recurrence>)
          return std::ranges::any_of(operation.rows, [&](const auto &rows) {
            return depends(rows.value);
          });
        else if constexpr (std::is_same_v<Operation, step::Tabulate>) {
          bool reads = false;
          transfold::walk(operation.function.expression(),
                          [&](const IndexExpr &node) {
                            reads |= node.kind == IndexExpr::Kind::Read &&
                                     depends(node.array);
                          });
          return reads;
        } else if constexpr (std::is_same_v<Operation, step::Softmax>)
          return depends(operation.x) ||
                 (operation.among && depends(*operation.among)) ||
                 (operation.sink && depends(*operation.sink));
        else if constexpr (requires { operation.x; })
          return depends(operation.x);
        else
          return false; // weights and constants
      },
      step.operation);
}

/// The number of the row of `value`; the same value is read once.
ValueId WithoutAxis::rowOf(ValueId value, unsigned axis) {
  step::Recurrence::Rows rows{value, axis};
  auto found = std::ranges::find(read, rows);
  const auto number = ValueId(found - read.begin());
  if (found == read.end())
    read.push_back(rows);
  return firstRow + number;
}

/// Removes the label of positions. A value from outside that has it is read row
/// by row.
void WithoutAxis::convert(Operand &operand) {
  auto found = std::ranges::find(operand.labels, label);
  if (found == operand.labels.end())
    return;
  if (!axes.contains(operand.value))
    operand.value =
        rowOf(operand.value, unsigned(found - operand.labels.begin()));
  operand.labels.erase(found);
}

template <typename Labelled>
unsigned WithoutAxis::convertLabelled(Labelled &operation) {
  convert(operation.a);
  convert(operation.b);
  auto found = std::ranges::find(operation.out, label);
  const auto axis = unsigned(found - operation.out.begin());
  operation.out.erase(found);
  return axis;
}

/// The label of positions must stand alone, before and after.
unsigned WithoutAxis::convertRearrange(step::Rearrange &operation,
                                       const Place &at) {
  const Labels group = operation.from[axes.at(operation.x)];
  auto to = std::ranges::find(operation.to, group);
  if (group.size() != 1 || to == operation.to.end())
    refuse(at);
  const auto axis = unsigned(to - operation.to.begin());
  operation.to.erase(to);
  operation.from.erase(operation.from.begin() + axes.at(operation.x));
  std::erase_if(operation.sizes,
                [&](const auto &size) { return size.first == group[0]; });
  return axis;
}

/// Each row by itself. A mask would be one of positions.
unsigned WithoutAxis::convertSoftmax(step::Softmax &operation,
                                     const Place &at) {
  if (!axes.contains(operation.x) || operation.mask || operation.among)
    refuse(at);
  const unsigned own = axes.at(operation.x);
  if (operation.sink && axes.contains(*operation.sink))
    refuse(at);
  return own;
}

Step WithoutAxis::converted(Step step) {
  axes[step.result] = std::visit(
      [&]<typename Operation>(Operation &operation) -> unsigned {
        if constexpr (isLabelled<Operation>) {
          return convertLabelled(operation);
        } else if constexpr (isOfElements<Operation>) {
          return axes.at(operation.x);
        } else if constexpr (isAlongAxis<Operation>) {
          const unsigned own = axes.at(operation.x);
          const bool isGone = std::is_same_v<Operation, step::Select> ||
                              std::is_same_v<Operation, step::Reduce>;
          const bool isAfter = operation.axis > own;
          operation.axis -= isAfter;
          return own - (isGone && !isAfter);
        } else if constexpr (std::is_same_v<Operation, step::Append>) {
          const bool isInner = axes.contains(operation.a);
          const unsigned own = axes.at(isInner ? operation.a : operation.b);
          for (ValueId *value : {&operation.a, &operation.b})
            if (!axes.contains(*value))
              *value = rowOf(*value, own);
          operation.axis -= operation.axis > own;
          return own;
        } else if constexpr (std::is_same_v<Operation, step::Rearrange>) {
          return convertRearrange(operation, step.place);
        } else if constexpr (std::is_same_v<Operation, step::Softmax>) {
          return convertSoftmax(operation, step.place);
        } else {
          refuse(step.place);
        }
      },
      step.operation);
  return step;
}

} // namespace transfold::spec
