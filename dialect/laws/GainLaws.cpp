// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gain law of each operation (GainLaw.h). Operations without one here do
// not let a gain pass. A sum does not: all its addends would have to lack the
// same gain, and a bias be divided by it, which may be 0; biases are therefore
// moved first.

#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <numeric>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

Channels Channels::whole(ArrayRef<unsigned> axes, ArrayRef<int64_t> extents) {
  Channels channels{SmallVector<unsigned>(axes), {}};
  channels.numbers.resize(llvm::product_of(extents, int64_t{1}));
  std::iota(channels.numbers.begin(), channels.numbers.end(), int64_t{0});
  return channels;
}

bool Channels::isPlain() const {
  for (auto [position, number] : llvm::enumerate(numbers))
    if (number != static_cast<int64_t>(position))
      return false;
  return axes.size() == 1;
}

/// The same channels with axes renamed by `map`; nullopt if `map` has no name
/// for one of them.
static std::optional<Channels>
renamed(const Channels &channels,
        function_ref<std::optional<unsigned>(unsigned)> map) {
  Channels result = channels;
  for (unsigned &axis : result.axes) {
    std::optional<unsigned> to = map(axis);
    if (!to)
      return std::nullopt;
    axis = *to;
  }
  return result;
}

/// Channels of an operand with labels `from`, as channels of a value with
/// labels `to`.
static std::optional<Channels> byLabels(const Channels &channels,
                                        ArrayAttr from, ArrayAttr to) {
  return renamed(channels, [&](unsigned axis) {
    return findLabel(to, getLabel(from, axis));
  });
}

/// Σ_k (x[k] / g[k]) (g[k] W[k, c]): a gain along the contracted axis is
/// absorbed by a weight; a gain along a result axis passes through.
FailureOr<Gain> ContractOp::gainLaw(OpOperand &operand, const Gain &gain,
                                    GainLaw &law) {
  bool isLeft = operand.getOperandNumber() == 0;
  ArrayAttr own = isLeft ? getLhsLabels() : getRhsLabels(),
            others = isLeft ? getRhsLabels() : getLhsLabels();
  OpOperand &other = isLeft ? getRhsMutable() : getLhsMutable();
  if (law.lacksGain(other.get()))
    return failure();
  // The result has all axes of the gain: (g x) W = g (x W).
  if (auto passed = byLabels(gain.channels, own, getLabels()))
    return Gain{*passed, gain.vector};
  auto summed = byLabels(gain.channels, own, others);
  // A gain over several axes of which the result has some, but not all, can
  // neither pass nor be absorbed: it varies along an axis of the sum and along
  // one of the result.
  bool isAnySeen = llvm::any_of(gain.channels.axes, [&](unsigned axis) {
    return findLabel(getLabels(), getLabel(own, axis)).has_value();
  });
  if (!summed || isAnySeen || !isWeightOnly(other.get()) ||
      failed(law.absorb(other, {*summed, gain.vector})))
    return failure();
  return Gain{};
}

/// (x / g) y = (x y) / g, if the result has the axes of g.
template <typename Op>
static FailureOr<Gain> productLaw(Op op, OpOperand &operand, const Gain &gain,
                                  GainLaw &law) {
  bool isLeft = operand.getOperandNumber() == 0;
  if (law.lacksGain(isLeft ? op.getRhs() : op.getLhs()))
    return failure();
  auto passed =
      byLabels(gain.channels, isLeft ? op.getLhsLabels() : op.getRhsLabels(),
               op.getLabels());
  return Gain{*passed, gain.vector};
}

FailureOr<Gain> MultiplyOp::gainLaw(OpOperand &operand, const Gain &gain,
                                    GainLaw &law) {
  return productLaw(*this, operand, gain, law);
}

FailureOr<Gain> DivideOp::gainLaw(OpOperand &operand, const Gain &gain,
                                  GainLaw &law) {
  if (operand.getOperandNumber() == 1)
    return failure();
  return productLaw(*this, operand, gain, law);
}

FailureOr<Gain> NegateOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return gain;
}

FailureOr<Gain> ScaleOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return gain;
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// An operation along another axis passes the gain on; `removes`: that axis is
/// not in the result.
static FailureOr<Gain> overAnother(unsigned axis, const Gain &gain,
                                   bool removes) {
  // A verified pointwise operation has every operand label on its result, so
  // all axes of the gain have a counterpart.
  auto passed =
      renamed(gain.channels, [&](unsigned own) -> std::optional<unsigned> {
        if (own == axis)
          return std::nullopt;
        return removes && axis < own ? own - 1 : own;
      });
  if (!passed)
    return failure();
  return Gain{*passed, gain.vector};
}

FailureOr<Gain> MeanOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/true);
}
FailureOr<Gain> SumOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/true);
}
FailureOr<Gain> SelectOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/true);
}
FailureOr<Gain> SliceOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/false);
}
FailureOr<Gain> DelayOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/false);
}

//===----------------------------------------------------------------------===//
// Operations that move positions
//===----------------------------------------------------------------------===//

/// An axis of a value that has factors, and the distance of its positions in
/// the list of indices.
namespace {
struct Digit {
  int64_t size, stride; // a stride of 0: all positions have the same index
};
} // namespace

/// The indices of all positions of `digits`, the last digit fastest.
static SmallVector<int64_t> readAlong(ArrayRef<int64_t> numbers,
                                      ArrayRef<Digit> digits) {
  SmallVector<int64_t> places = {0};
  for (auto [size, stride] : digits) {
    SmallVector<int64_t> inner;
    for (int64_t place : places)
      for (int64_t k = 0; k < size; ++k)
        inner.push_back(place + k * stride);
    places = std::move(inner);
  }
  for (int64_t &place : places)
    place = numbers[place];
  return places;
}

/// The axes of a value that lacks a gain, in the order of `channels`.
static SmallVector<Digit> digitsOf(Value value, const Channels &channels) {
  SmallVector<Digit> digits;
  int64_t stride = 1;
  for (unsigned axis : llvm::reverse(channels.axes)) {
    int64_t size = *getNumber(getShape(value.getType())[axis]);
    digits.insert(digits.begin(), {size, stride});
    stride *= size;
  }
  return digits;
}

/// Repeated positions have the index of the position that they repeat.
FailureOr<Gain> RepeatOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  SmallVector<Digit> digits;
  for (auto [axis, digit] :
       llvm::zip(gain.channels.axes, digitsOf(getInput(), gain.channels))) {
    digits.push_back(digit);
    if (axis == getAxis())
      digits.push_back({static_cast<int64_t>(getTimes()), 0});
  }
  return Gain{{gain.channels.axes, readAlong(gain.channels.numbers, digits)},
              gain.vector};
}

/// Merged axes have the indices of all their positions; splitting an axis is
/// not supported.
FailureOr<Gain> RearrangeOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  llvm::StringMap<Digit> lacking, others;
  for (auto [axis, digit] :
       llvm::zip(gain.channels.axes, digitsOf(getInput(), gain.channels))) {
    auto group = cast<ArrayAttr>(getFrom()[axis]);
    if (group.size() != 1)
      return failure();
    // Labels of axes with the gain; all others (of fixed size) get a stride of
    // 0, so that they do not change the index.
    lacking[getLabel(group, 0)] = digit;
  }
  for (auto [axis, group] : llvm::zip(getShape(getInput().getType()),
                                      getFrom().getAsRange<ArrayAttr>()))
    if (auto size = getNumber(axis); size && group.size() == 1)
      others[getLabel(group, 0)] = {*size, 0};
  Channels moved;
  SmallVector<Digit> digits;
  for (auto [axis, group] : llvm::enumerate(getTo().getAsRange<ArrayAttr>())) {
    auto labels = group.getAsValueRange<StringAttr>();
    if (llvm::none_of(labels,
                      [&](StringRef label) { return lacking.contains(label); }))
      continue;
    moved.axes.push_back(axis);
    for (StringRef label : labels) {
      if (!lacking.contains(label) && !others.contains(label))
        return failure();
      digits.push_back(lacking.contains(label) ? lacking[label]
                                               : others[label]);
    }
  }
  moved.numbers = readAlong(gain.channels.numbers, digits);
  return Gain{moved, gain.vector};
}
