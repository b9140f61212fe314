// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of channels: the verifiers of their attributes, and the factor that
// applies to an element by its place in the tensor.

#include "dialect/weights/Channels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

//===----------------------------------------------------------------------===//
// Operations and attributes
//===----------------------------------------------------------------------===//

LogicalResult FactorsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  FlatSymbolRefAttr, LayoutAttr layout,
                                  ArrayRef<int64_t> numbers, bool) {
  int64_t positions = llvm::product_of(layout.getSizes(), int64_t{1});
  if (!numbers.empty() && static_cast<int64_t>(numbers.size()) != positions)
    return emitError() << "has " << numbers.size() << " values for "
                       << positions << " positions";
  return success();
}

int64_t ChannelScalesOp::getMembers() {
  return llvm::product_of(getExtents(), int64_t{1});
}

ArrayRef<float> ChannelScalesOp::getNumbersOf(int64_t member) {
  if (!getNumbers())
    return {};
  const auto count = static_cast<size_t>(getCount());
  return getNumbers()->slice(member * count, count);
}

LogicalResult ChannelScalesOp::verify() {
  if (getIndices().size() != getExtents().size())
    return emitOpError("must have one extent for each index");
  const std::optional<ArrayRef<float>> numbers = getNumbers();
  if (!numbers)
    return success();
  if (static_cast<int64_t>(numbers->size()) !=
      getMembers() * static_cast<int64_t>(getCount()))
    return emitOpError() << "has " << numbers->size() << " values for "
                         << getMembers() << " times " << getCount();
  for (float number : *numbers)
    if (!(number > 0) || !std::isfinite(number))
      return emitOpError("has a value that is not positive");
  return success();
}

//===----------------------------------------------------------------------===//
// Places in a tensor
//===----------------------------------------------------------------------===//

ChannelFactors ChannelFactors::equalizing(StoredOp stored, int64_t member) {
  ChannelFactors factors;
  if (ArrayAttr equalized = stored.getEqualizedAttr())
    for (auto each : equalized.getAsRange<FactorsAttr>())
      factors.add(stored, member, each);
  return factors;
}

ChannelFactors ChannelFactors::weighing(StoredOp stored, int64_t member) {
  ChannelFactors factors;
  if (auto weighing = stored.getWeighing())
    factors.add(stored, member, *weighing);
  return factors;
}

void ChannelFactors::add(StoredOp stored, int64_t member, FactorsAttr factors) {
  auto channels = SymbolTable::lookupNearestSymbolFrom<ChannelScalesOp>(
      stored, factors.getChannels());
  LayoutAttr layout = factors.getLayout();
  Factors own{channels.getNumbersOf(member),
              factors.getNumbers(),
              factors.getInverse(),
              layout.getOffset(),
              {}};
  if (own.values.empty())
    return;
  if (stored.getSource())
    own.offset += member * stored.getSource()->getStep().value_or(0);
  int64_t distance = 1;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip(layout.getSizes(), layout.getStrides()))) {
    // Factors from the fastest to the slowest; `distance` counts positions of
    // the layout, `stride` elements of the tensor.
    own.digits.push_back({size, stride, distance});
    distance *= size;
  }
  all.push_back(std::move(own));
}

double ChannelFactors::at(int64_t place) const {
  double product = 1;
  for (const Factors &factors : all) {
    int64_t position = 0;
    for (auto [size, stride, distance] : factors.digits)
      // `isDigit` held when the layout was made (layoutOfAxes), so this digit
      // of the place is the position along the factor. A factor of size 1 may
      // have any stride.
      if (size > 1)
        position += (place - factors.offset) / stride % size * distance;
    double factor =
        factors.values[factors.numbers.empty() ? position
                                               : factors.numbers[position]];
    product *= factors.isInverse ? 1 / factor : factor;
  }
  return product;
}

/// Whether factor `own` is a digit of a place, i.e. (place / stride) % size is
/// its position: the strides of slower factors are multiples of stride · size,
/// and the faster factors together stay below `stride`.
static bool isDigit(LayoutAttr layout, size_t own) {
  const int64_t size = layout.getSizes()[own],
                stride = layout.getStrides()[own];
  int64_t faster = 0;
  for (size_t k = 0; k < layout.getSizes().size(); ++k) {
    const int64_t otherSize = layout.getSizes()[k],
                  other = layout.getStrides()[k];
    if (k == own || otherSize == 1)
      continue;
    if (other < stride)
      faster += (otherSize - 1) * other;
    else if (other % (stride * size))
      return false;
  }
  return faster < stride;
}

LayoutAttr xf::layoutOfAxes(StoredOp stored, ArrayRef<unsigned> axes) {
  LayoutAttr layout = stored.getLayout();
  SmallVector<int64_t> counts, sizes, strides;
  for (unsigned axis : axes) {
    const int64_t count = layout.getFactorCounts()[axis];
    size_t first = 0;
    for (int64_t before : layout.getFactorCounts().take_front(axis))
      first += before;
    counts.push_back(count);
    for (size_t k = first; k < first + count; ++k) {
      if (layout.getSizes()[k] > 1 && !isDigit(layout, k))
        return {};
      sizes.push_back(layout.getSizes()[k]);
      strides.push_back(layout.getStrides()[k]);
    }
  }
  return LayoutAttr::get(layout.getContext(), layout.getOffset(), counts, sizes,
                         strides);
}
