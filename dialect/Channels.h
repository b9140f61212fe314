// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numbers of a stored weight are multiplied with, channel by channel.

#ifndef TRANSFOLD_DIALECT_CHANNELS_H
#define TRANSFOLD_DIALECT_CHANNELS_H

#include "dialect/Dialect.h"

namespace transfold::xf {

/// Factors of the numbers of a tensor, by their places in it.
class ChannelFactors {
public:
  /// Those that a member of a weight is equalized with.
  static ChannelFactors equalizing(StoredOp stored, int64_t member);
  /// How much the errors of its numbers count.
  static ChannelFactors weighing(StoredOp stored, int64_t member);

  bool areOne() const { return all.empty(); }
  /// Of the number at `place` of the tensor that the member is read from.
  double at(int64_t place) const;

private:
  void add(StoredOp stored, int64_t member, FactorsAttr factors);

  /// A factor of a layout, and how far its positions are apart in `numbers`.
  struct Digit {
    int64_t size, stride, distance;
  };
  struct Factors {
    llvm::ArrayRef<float> values;
    llvm::ArrayRef<int64_t> numbers; // of `values`; empty: in order
    bool isInverse;
    int64_t offset;
    llvm::SmallVector<Digit> digits;
  };
  llvm::SmallVector<Factors> all;
};

/// The positions of some axes of a weight, as factors of its tensor; null where
/// a number's place does not say which position it has.
LayoutAttr layoutOfAxes(StoredOp stored, llvm::ArrayRef<unsigned> axes);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_CHANNELS_H
