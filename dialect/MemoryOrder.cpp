// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of axes in memory, and which rearrangements are views.

#include "dialect/MemoryOrder.h"

using namespace mlir;
using namespace transfold;

SmallVector<unsigned> xf::memoryOrder(Type type) {
  SmallVector<unsigned> lengths, numbers;
  for (auto [axis, size] : llvm::enumerate(getShape(type)))
    (getNumber(size) ? numbers : lengths).push_back(axis);
  lengths.append(numbers);
  // A value over pairs of positions (two lengths) is not stored row by row;
  // each sequence's value keeps its declared order.
  if (lengths.size() - numbers.size() > 1)
    llvm::sort(lengths);
  return lengths;
}

/// The labels of one side in memory order.
static SmallVector<StringRef> labelsInMemory(Type type, ArrayAttr groups) {
  SmallVector<StringRef> labels;
  for (unsigned axis : xf::memoryOrder(type))
    for (StringRef label :
         cast<ArrayAttr>(groups[axis]).getAsValueRange<StringAttr>())
      labels.push_back(label);
  return labels;
}

bool xf::isView(RearrangeOp op) {
  // Both sides are dense and have the same labels (verified), each with one
  // size. So equal sequences of labels, slowest first, give each element the
  // same offset.
  return labelsInMemory(op.getInput().getType(), op.getFrom()) ==
         labelsInMemory(op.getResult().getType(), op.getTo());
}
