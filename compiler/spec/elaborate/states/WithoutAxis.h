// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that were made for all positions, as steps for one position: the same
// steps without the axis of positions.
//
//   %5 [i t k v] = α [i t] * %4 [i t k v]
// becomes
//   %5 [i k v] = α_t [i] * %4 [i k v]

#pragma once

#include "compiler/spec/values/Equations.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::spec {

/// Converts the steps that depend on a state, in order.
class WithoutAxis {
public:
  /// `label` is that of positions, `axis` the axis of positions of `state`.
  /// Rows that the steps read get numbers from `firstRow` on.
  WithoutAxis(std::string label, ValueId state, unsigned axis, ValueId firstRow)
      : label(std::move(label)), firstRow(firstRow), axes{{state, axis}} {}

  /// Whether a step reads the state, or the result of a step that does.
  bool dependsOnState(const Step &step) const;
  /// The step for one position. Throws SpecError for a step that depends on
  /// other positions.
  Step converted(Step step);
  /// The values whose rows the steps read.
  const std::vector<step::Recurrence::Rows> &rows() const { return read; }
  /// The axis that a value of the steps had for positions.
  unsigned axisOf(ValueId value) const { return axes.at(value); }

private:
  ValueId rowOf(ValueId value, unsigned axis);
  void convert(Operand &operand);
  template <typename Labelled> unsigned convertLabelled(Labelled &operation);
  unsigned convertRearrange(step::Rearrange &operation, const Place &at);
  unsigned convertSoftmax(step::Softmax &operation, const Place &at);

  std::string label;
  ValueId firstRow;
  std::map<ValueId, unsigned> axes; // of the state and what depends on it
  std::vector<step::Recurrence::Rows> read;
};

} // namespace transfold::spec
