// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/weights/Packed.h"

#include "compiler/reference/Interpreter.h"
#include "compiler/reference/StoredNumbers.h"
#include "dialect/Labels.h"

#include <llvm/Support/MathExtras.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <span>

using namespace mlir;
using namespace transfold;

int64_t weights::members(xf::StoredOp stored) { return stored.getMembers(); }

int64_t weights::packedNumbers(xf::StoredOp stored) {
  auto type = cast<xf::RealType>(stored.getType());
  int64_t numbers = xf::countNumbers(type);
  if (auto panels = stored.getPacking()) {
    int64_t columns = *xf::getNumber(type.getShape().back());
    numbers = numbers / columns * llvm::alignTo(columns, panels->getWidth());
  }
  return numbers;
}

int64_t weights::packedBytes(xf::StoredOp stored) {
  return packedNumbers(stored) * static_cast<int64_t>(stored.getStorage()
                                                          ? sizeof(uint16_t)
                                                          : sizeof(float));
}

/// Numbers that have 16 bits, exactly.
static std::vector<std::byte> narrowed(ArrayRef<float> numbers,
                                       StringRef storage) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(uint16_t));
  for (size_t k = 0; k < numbers.size(); ++k) {
    auto half =
        storage == "bf16"
            ? static_cast<uint16_t>(std::bit_cast<uint32_t>(numbers[k]) >> 16)
            : std::bit_cast<uint16_t>(static_cast<_Float16>(numbers[k]));
    std::memcpy(&bytes[k * sizeof half], &half, sizeof half);
  }
  return bytes;
}

// Distances of the elements of axes `from` to `to`, the last axis fastest.
static std::vector<int64_t> distances(xf::LayoutAttr layout, unsigned from,
                                      unsigned to) {
  std::vector<int64_t> result = {0};
  size_t factor = 0;
  for (unsigned axis = 0; axis < to; ++axis)
    for (int64_t k = 0; k < layout.getFactorCounts()[axis]; ++k, ++factor) {
      if (axis < from)
        continue;
      std::vector<int64_t> inner;
      inner.reserve(result.size() * layout.getSizes()[factor]);
      for (int64_t start : result)
        for (int64_t i = 0; i < layout.getSizes()[factor]; ++i)
          inner.push_back(start + i * layout.getStrides()[factor]);
      result = std::move(inner);
    }
  return result;
}

namespace {
/// Numbers of tensors in a file, read where they are needed: mapped, perhaps
/// not aligned. With what is added to each and multiplied, in double, rounded
/// once.
struct MappedNumbers {
  reference::StoredNumbers numbers;
  double added = 0, factor = 1;

  bool isFloats() const {
    return numbers.tensors.front().dtype == checkpoint::DType::F32 &&
           added == 0 && factor == 1;
  }
  /// Of one tensor nearly always: no division for each number.
  const std::byte *floats(int64_t number) const {
    bool isOne = numbers.tensors.size() == 1;
    const auto &tensor = numbers.tensors[isOne ? 0 : number / numbers.each];
    return tensor.bytes.data() + (isOne ? number : number % numbers.each) *
                                     static_cast<int64_t>(sizeof(float));
  }

  /// `to[k]` = the element at `at` + `steps[k]`.
  void read(int64_t at, ArrayRef<int64_t> steps, bool dense, float *to) const {
    bool inOneTensor = (at + steps.front()) / numbers.each ==
                       (at + steps.back()) / numbers.each;
    if (isFloats() && dense && inOneTensor) {
      std::memcpy(to, floats(at + steps.front()), steps.size() * sizeof(float));
      return;
    }
    if (isFloats()) {
      for (size_t k = 0; k < steps.size(); ++k)
        std::memcpy(to + k, floats(at + steps[k]), sizeof(float));
      return;
    }
    for (size_t k = 0; k < steps.size(); ++k)
      to[k] =
          static_cast<float>((numbers.element(at + steps[k]) + added) * factor);
  }
};
} // namespace

static std::vector<float> packFloats(xf::StoredOp stored, int64_t member,
                                     const checkpoint::Checkpoint &checkpoint) {
  xf::LayoutAttr layout = stored.getLayoutOf(member);
  MappedNumbers source;
  std::vector<float> computed;
  unsigned rank = layout.getRank();
  std::vector<int64_t> rows, columns;
  if (stored.getSource() && stored.getDerivation().empty() &&
      !stored.getChain()) {
    source = {reference::findStored(stored, member, checkpoint),
              stored.getAdded() ? stored.getAdded()->toDouble() : 0,
              stored.getFactor(member).toDouble()};
    rows = distances(layout, 0, rank ? rank - 1 : 0);
    columns = distances(layout, rank ? rank - 1 : 0, rank);
    for (int64_t &row : rows)
      row += layout.getOffset();
  } else {
    // What is computed from others comes in the order of the equations.
    reference::Tensor plain =
        reference::readStored(stored, member, &checkpoint);
    computed.assign(plain.data.begin(), plain.data.end());
    source.numbers = {{{checkpoint::DType::F32, plain.shape,
                        std::as_bytes(std::span(computed))}},
                      static_cast<int64_t>(computed.size())};
    columns.resize(rank ? plain.shape.back() : 1);
    std::iota(columns.begin(), columns.end(), 0);
    rows.resize(computed.size() / columns.size());
    for (size_t k = 0; k < rows.size(); ++k)
      rows[k] = static_cast<int64_t>(k * columns.size());
  }
  bool dense = true;
  for (size_t c = 1; c < columns.size(); ++c)
    dense = dense && columns[c] == columns[c - 1] + 1;

  std::vector<float> packed(
      weights::packedBytes(stored) /
      (stored.getStorage() ? sizeof(uint16_t) : sizeof(float)));
  // W<k, c> → [ceil(c / width)][k / interleaved][width][interleaved], columns
  // beyond the last are zero. What is not packed is one panel as wide as it is.
  size_t width = columns.size(), interleaved = 1;
  if (auto panels = stored.getPacking()) {
    width = panels->getWidth();
    interleaved = panels->getInterleaved();
  }
  size_t distance = interleaved > 1 ? xf::PanelsAttr::distance : 1;
  std::vector<float> numbers(width);
  float *to = packed.data();
  for (size_t first = 0; first < columns.size(); first += width) {
    auto places =
        ArrayRef(columns).slice(first, std::min(width, columns.size() - first));
    for (size_t k = 0; k < rows.size();
         k += interleaved, to += width * interleaved)
      for (size_t slot = 0; slot < interleaved; ++slot) {
        size_t pair = k / interleaved;
        size_t row = pair / distance * distance * interleaved +
                     pair % distance + slot * distance;
        if (interleaved == 1) {
          source.read(rows[row], places, dense, to);
          continue;
        }
        source.read(rows[row], places, dense, numbers.data());
        for (size_t c = 0; c < places.size(); ++c)
          to[c * interleaved + slot] = numbers[c];
      }
  }
  return packed;
}

std::vector<std::byte> weights::pack(xf::StoredOp stored, int64_t member,
                                     const checkpoint::Checkpoint &checkpoint) {
  std::vector<float> numbers = packFloats(stored, member, checkpoint);
  if (stored.getStorage())
    return narrowed(numbers, *stored.getStorage());
  auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

SmallVector<xf::StoredOp> weights::placed(ModuleOp module) {
  return llvm::filter_to_vector(
      module.getOps<xf::StoredOp>(),
      [](xf::StoredOp stored) { return stored.getOffset().has_value(); });
}

int64_t weights::payloadBytes(ModuleOp module) {
  int64_t end = 0;
  for (auto stored : placed(module))
    end = std::max<int64_t>(end, *stored.getOffset() +
                                     *stored.getStride() * members(stored));
  return end;
}
