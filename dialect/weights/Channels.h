// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors by which the elements of a stored weight are multiplied, per channel.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::xf {

/// Factors of the elements of a tensor, by their places (element offsets) in
/// it.
class ChannelFactors {
public:
  /// The factors that a member of a weight is equalized with.
  static ChannelFactors equalizing(StoredOp stored, int64_t member);
  /// How much the error of each element of a member counts.
  static ChannelFactors weighing(StoredOp stored, int64_t member);

  /// Whether there are no factors, i.e. all are 1.
  bool areOne() const { return all.empty(); }
  /// The factor of the element at `place` of the tensor that the member is read
  /// from.
  double at(int64_t place) const;

private:
  /// Appends the factors that `factors` assigns to member `member`; nothing if
  /// the scales have no values yet.
  void add(StoredOp stored, int64_t member, FactorsAttr factors);

  /// One factor (size:stride) of a layout, and the distance of its positions in
  /// `numbers`.
  struct Digit {
    int64_t size, stride, distance;
  };
  /// The values of one xf.channel_scales for a member, and how a place of the
  /// tensor selects one of them.
  struct Factors {
    llvm::ArrayRef<float> values;
    llvm::ArrayRef<int64_t> numbers; // indices into `values`; empty: in order
    bool isInverse;
    // Elements of the tensor before the first one of the member.
    int64_t offset;
    llvm::SmallVector<Digit> digits;
  };
  // Applied together, by multiplication.
  llvm::SmallVector<Factors> all;
};

/// The positions of some axes of a weight, as factors of its tensor's layout;
/// null where an element's place does not determine its position along them.
LayoutAttr layoutOfAxes(StoredOp stored, llvm::ArrayRef<unsigned> axes);

} // namespace transfold::xf
