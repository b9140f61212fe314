// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the members of stored weights: from tensors of the checkpoint by their
// layouts, from other weights, or by computing them; then the factors of
// folding and of channels. `weights` writes the program's file with the same
// functions, so a program has the values that the reference has.

#include "compiler/reference/Interpreter.h"
#include "compiler/reference/RoundedNumbers.h"
#include "dialect/weights/Channels.h"
#include "dialect/weights/TensorNames.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

/// The tensor `name`, which must have an element `last`. Throws
/// InterpreterError otherwise.
static const checkpoint::StoredTensor &
findTensor(const std::string &name, int64_t last,
           const checkpoint::Checkpoint &checkpoint) {
  auto found = checkpoint.tensors().find(name);
  if (found == checkpoint.tensors().end())
    throw InterpreterError(fmt::format("{}: the checkpoint has no tensor {}",
                                       checkpoint.path(), name));
  const checkpoint::StoredTensor &source = found->second;
  int64_t count = source.count();
  if (last >= count)
    throw InterpreterError(fmt::format(
        "{}: tensor {} has {} elements, but its layout reaches element {}",
        checkpoint.path(), name, count, last));
  return source;
}

/// The name of the tensor of a member; of the pattern of several tensors where
/// the members of a family have their own.
static std::string tensorOf(xf::StoredOp stored, int64_t member) {
  SmallVector<StringRef> indices(
      stored.getIndices().getAsValueRange<StringAttr>());
  return xf::memberName(stored.getSource()->getName(), indices,
                        stored.getExtents(), member);
}

std::string reference::nameOf(xf::StoredOp stored, int64_t member,
                              const checkpoint::Checkpoint &checkpoint) {
  return fmt::format("{}: '{}'", checkpoint.path(), tensorOf(stored, member));
}

StoredNumbers reference::findStored(xf::StoredOp stored, int64_t member,
                                    const checkpoint::Checkpoint &checkpoint) {
  std::string name = tensorOf(stored, member);
  xf::LayoutAttr layout = stored.getLayoutOf(member);
  int64_t last = layout.getOffset();
  for (auto [size, stride] : llvm::zip(layout.getSizes(), layout.getStrides()))
    last += (size - 1) * stride;
  xf::TensorsAttr tensors = stored.getSource()->getTensors();
  if (!tensors)
    return {{findTensor(name, last, checkpoint)}, last + 1};
  StoredNumbers numbers{{}, tensors.getSize()};
  SmallVector<StringRef> own(
      tensors.getIndices().getAsValueRange<StringAttr>());
  for (int64_t k = 0; k < tensors.getCount(); ++k)
    numbers.tensors.push_back(
        findTensor(xf::memberName(name, own, tensors.getExtents(), k),
                   numbers.each - 1, checkpoint));
  if (last >= tensors.getCount() * numbers.each)
    throw InterpreterError(
        fmt::format("{}: the layout of {} reaches element {}",
                    checkpoint.path(), name, last));
  return numbers;
}

void StoredNumbers::read(int64_t first, int64_t step,
                         std::span<double> to) const {
  int64_t last = first + step * (static_cast<int64_t>(to.size()) - 1);
  // The elements are almost always in one tensor.
  if (tensors.size() == 1 || first / each == last / each) {
    tensors[first / each].read(first % each, step, to);
    return;
  }
  for (double &number : to) {
    number = tensors[first / each].element(first % each);
    first += step;
  }
}

void StoredNumbers::convert(int64_t first, int64_t step,
                            std::span<double> elements,
                            const Numbers &numbers) const {
  auto bytesOf = [&](int64_t at) { return tensors[at / each].bytes.data(); };
  int64_t last = first + step * (static_cast<int64_t>(elements.size()) - 1);
  if (tensors.size() == 1 || first / each == last / each) {
    numbers.elements(bytesOf(first), first % each, step, elements);
    return;
  }
  for (size_t k = 0; k < elements.size(); ++k, first += step)
    numbers.elements(bytesOf(first), first % each, 1, elements.subspan(k, 1));
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {
/// A factor of a layout: `size` positions that are `stride` elements apart.
struct Factor {
  int64_t size, stride;
};
} // namespace

/// The factors of one axis, the slowest first.
static std::vector<Factor> factorsOf(xf::LayoutAttr layout, unsigned axis) {
  size_t first = 0;
  for (unsigned k = 0; k < axis; ++k)
    first += layout.getFactorCounts()[k];
  std::vector<Factor> factors;
  for (int64_t k = 0; k < layout.getFactorCounts()[axis]; ++k)
    factors.push_back(
        {layout.getSizes()[first + k], layout.getStrides()[first + k]});
  return factors;
}

/// The offsets of an axis's positions from its first one.
static std::vector<int64_t> distances(ArrayRef<Factor> factors) {
  std::vector<int64_t> result = {0};
  for (auto [size, stride] : factors) {
    std::vector<int64_t> inner;
    inner.reserve(result.size() * size);
    for (int64_t start : result)
      for (int64_t i = 0; i < size; ++i)
        inner.push_back(start + i * stride);
    result = std::move(inner);
  }
  return result;
}

StoredPlaces reference::placesOf(xf::LayoutAttr layout,
                                 const OptionalPart &part) {
  StoredPlaces places;
  unsigned rank = layout.getRank();
  std::vector<std::vector<int64_t>> axes;
  for (unsigned axis = 0; axis < rank; ++axis) {
    std::vector<int64_t> own = distances(factorsOf(layout, axis));
    if (part && part->axis == axis)
      own = {own.begin() + part->first,
             own.begin() + part->first + part->count};
    places.shape.push_back(static_cast<int64_t>(own.size()));
    axes.push_back(std::move(own));
  }
  places.rows = {layout.getOffset()};
  for (unsigned axis = 0; axis + 1 < rank; ++axis) {
    std::vector<int64_t> inner;
    inner.reserve(places.rows.size() * axes[axis].size());
    for (int64_t start : places.rows)
      for (int64_t distance : axes[axis])
        inner.push_back(start + distance);
    places.rows = std::move(inner);
  }
  places.columns = rank ? axes.back() : std::vector<int64_t>{0};
  // A constant step lets a whole row be read at once, also through a transposed
  // matrix.
  int64_t step = places.columns.size() > 1 ? places.columns[1] : 1;
  step -= places.columns.front();
  bool isEven = true;
  for (size_t c = 1; c < places.columns.size(); ++c)
    isEven &= places.columns[c] - places.columns[c - 1] == step;
  if (isEven)
    places.step = places.columns.size() > 1 ? step : 1;
  return places;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// The elements of a member as the checkpoint has them, plus the constant that
/// `plus` adds.
static Tensor readSource(xf::StoredOp stored, int64_t member,
                         const checkpoint::Checkpoint &checkpoint,
                         const OptionalPart &part, const Numbers &numbers) {
  StoredNumbers source = findStored(stored, member, checkpoint);
  StoredPlaces places = placesOf(stored.getLayoutOf(member), part);
  Tensor result(places.shape);
  std::span<double> to(result.data);
  size_t width = places.columns.size();
  auto read = [&](int64_t first, int64_t step, std::span<double> elements) {
    source.read(first, step, elements);
    source.convert(first, step, elements, numbers);
  };
  for (int64_t row : places.rows) {
    if (places.step)
      read(row + places.columns[0], *places.step, to.first(width));
    else
      for (size_t c = 0; c < width; ++c)
        read(row + places.columns[c], 1, to.subspan(c, 1));
    to = to.subspan(width);
  }
  if (xf::ExactAttr added = stored.getSource()->getAdded()) {
    const double term = numbers.exact(added.getValue());
    for (double &value : result.data)
      value = numbers.add(value, term);
  }
  return result;
}

/// The view of a row-major tensor that a layout describes.
static Tensor viewed(xf::LayoutAttr layout, const Tensor &flat,
                     const OptionalPart &part) {
  StoredPlaces places = placesOf(layout, part);
  Tensor result(places.shape);
  size_t k = 0;
  for (int64_t row : places.rows)
    for (int64_t column : places.columns)
      result.data[k++] = flat.data[row + column];
  return result;
}

/// A member of a weight whose members are those of other weights.
static Tensor readChain(xf::StoredOp stored, int64_t member,
                        const checkpoint::Checkpoint *checkpoint,
                        const Numbers &numbers) {
  member += stored.getChain()->getSkipped();
  for (auto name :
       stored.getChain()->getParts().getAsRange<FlatSymbolRefAttr>()) {
    auto part =
        SymbolTable::lookupNearestSymbolFrom<xf::StoredOp>(stored, name);
    if (member < part.getMembers())
      return readUnfolded(part, member, checkpoint, std::nullopt, numbers);
    member -= part.getMembers();
  }
  throw InterpreterError(
      fmt::format("{} has no member {}", stored.getSymName().str(), member));
}

/// A part of a view of a computed weight, from the part of that weight which
/// the view needs: a range of the axis that the slowest factor of the view's
/// axis indexes. If there is no such axis, all of it is computed.
static Tensor readDerived(xf::StoredOp stored, int64_t member,
                          const checkpoint::Checkpoint *checkpoint,
                          const OptionalPart &part, const Numbers &numbers) {
  xf::LayoutAttr layout = stored.getLayoutOf(member);
  Value yielded = stored.getDerivation().front().getTerminator()->getOperand(0);
  Tensor shown;
  for (Attribute axis : xf::getShape(yielded.getType()))
    shown.shape.push_back(*xf::getNumber(axis));
  std::vector<int64_t> strides = shown.strides();
  auto whole = [&] {
    return viewed(layout,
                  derivePart(stored, member, checkpoint, std::nullopt, numbers),
                  part);
  };
  if (!part || layout.getOffset())
    return whole();
  std::vector<Factor> factors = factorsOf(layout, part->axis);
  std::optional<unsigned> found;
  // The slowest factor must run over exactly one axis of the computed value.
  // Then a range of the view's axis is a range of that axis, from the quotient
  // of its ends by the number of positions of the faster factors.
  for (unsigned axis = 0; axis < strides.size() && !factors.empty(); ++axis)
    if (factors[0].size == shown.shape[axis] &&
        factors[0].stride == strides[axis])
      found = axis;
  if (!found)
    return whole();
  int64_t inner = 1;
  for (const Factor &factor : ArrayRef(factors).drop_front())
    inner *= factor.size;
  Part own{*found, part->first / inner, 0};
  own.count = (part->first + part->count - 1) / inner + 1 - own.first;
  Tensor computed = derivePart(stored, member, checkpoint, own, numbers);
  // The same view of fewer positions: strides of slower axes are smaller.
  std::vector<int64_t> shorter = computed.strides();
  SmallVector<int64_t> sizes(layout.getSizes()), steps(layout.getStrides());
  for (int64_t &step : steps)
    for (unsigned axis = 0; axis < strides.size(); ++axis)
      if (step >= strides[axis]) {
        step = step / strides[axis] * shorter[axis];
        break;
      }
  size_t slowest = 0;
  for (unsigned k = 0; k < part->axis; ++k)
    slowest += layout.getFactorCounts()[k];
  sizes[slowest] = own.count;
  auto view = xf::LayoutAttr::get(layout.getContext(), 0,
                                  layout.getFactorCounts(), sizes, steps);
  return viewed(view, computed,
                Part{part->axis, part->first - own.first * inner, part->count});
}

Tensor reference::readUnfolded(xf::StoredOp stored, int64_t member,
                               const checkpoint::Checkpoint *checkpoint,
                               const OptionalPart &part,
                               const Numbers &numbers) {
  if (!stored.getDerivation().empty())
    return readDerived(stored, member, checkpoint, part, numbers);
  xf::LayoutAttr layout = stored.getLayoutOf(member);
  if (stored.getChain())
    return viewed(layout, readChain(stored, member, checkpoint, numbers), part);
  if (!stored.getSource()) {
    std::vector<int64_t> shape;
    for (unsigned axis = 0; axis < layout.getRank(); ++axis)
      shape.push_back(layout.getExtent(axis));
    if (part)
      shape[part->axis] = part->count;
    Tensor ones(shape);
    std::fill(ones.data.begin(), ones.data.end(), numbers.integer(1));
    return ones;
  }
  if (!checkpoint)
    throw InterpreterError(
        "the module has weights, but no checkpoint was given");
  return readSource(stored, member, *checkpoint, part, numbers);
}

Tensor reference::readFolded(xf::StoredOp stored, int64_t member,
                             const checkpoint::Checkpoint *checkpoint,
                             const OptionalPart &part, const Numbers &numbers) {
  Tensor result = readUnfolded(stored, member, checkpoint, part, numbers);
  const double factor = numbers.exact(stored.getFactor(member));
  numbers.scale(result.data, factor);
  auto channels = xf::ChannelFactors::equalizing(stored, member);
  if (channels.areOne())
    return result;
  StoredPlaces places = placesOf(stored.getLayoutOf(member), part);
  size_t k = 0;
  for (int64_t row : places.rows)
    for (int64_t column : places.columns) {
      result.data[k] = numbers.multiply(
          result.data[k], numbers.real(channels.at(row + column)));
      ++k;
    }
  return result;
}

Tensor reference::readStored(xf::StoredOp stored, int64_t member,
                             const checkpoint::Checkpoint *checkpoint,
                             const OptionalPart &part, const Numbers &numbers) {
  if (!stored.getRounded() || !checkpoint)
    return readFolded(stored, member, checkpoint, part, numbers);
  Tensor result = readRounded(stored, member, *checkpoint, part);
  numbers.convert(result.data);
  return result;
}
