// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers for kernels in tests: tensors in the order of memory, and weights in
// pairs or in blocks.

#pragma once

#include "base/numeric/BlockFormat.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/MemoryOrder.h"
#include "dialect/weights/Storage.h"

#include <HalideRuntime.h>

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace transfold::test {

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
template <typename Value>
using AlignedMemory = std::unique_ptr<Value, FreeMemory>;

/// Memory for `count` values that begins and ends at a cache line.
template <typename Value> AlignedMemory<Value> alignedMemory(size_t count) {
  const size_t lines = (count * sizeof(Value) + 63) / 64;
  return AlignedMemory<Value>(
      static_cast<Value *>(std::aligned_alloc(64, lines * 64)));
}

using namespace mlir;
using reference::Tensor;

using Lengths = std::map<std::string, int64_t>;

inline std::vector<int64_t> shapeOf(Type type, const Lengths &lengths) {
  std::vector<int64_t> shape;
  for (Attribute axis : xf::getShape(type)) {
    auto number = xf::getNumber(axis);
    shape.push_back(number ? *number : lengths.at(xf::printAxis(axis)));
  }
  return shape;
}

/// A buffer of a kernel: the values of a tensor in the order of memory.
class Buffer {
public:
  Buffer(Type type, const Lengths &lengths, xf::PanelsAttr panels = {})
      : isInteger(isa<xf::IntegralType>(type)), shape(shapeOf(type, lengths)) {
    if (panels) {
      int64_t width = panels.getWidth(), count = (shape[1] + width - 1) / width;
      extents = {count, shape[0], width};
      strides = {width, 0};
    } else {
      SmallVector<unsigned> order = xf::memoryOrder(type);
      for (unsigned axis : order)
        extents.push_back(shape[axis]);
      strides.resize(shape.size());
      int64_t stride = 1;
      for (unsigned axis : llvm::reverse(order)) {
        strides[axis] = stride;
        stride *= shape[axis];
      }
    }
    this->panels = panels ? panels.getWidth() : 0;
    size_t count = Tensor::count(extents);
    memory = alignedMemory<float>(count + 16); // also if there are none
    std::fill_n(memory.get(), count, 0.0f);
    int64_t stride = 1;
    for (size_t i = extents.size(); i-- > 0;) {
      dimensions.insert(dimensions.begin(),
                        halide_dimension_t(0, extents[i], stride));
      stride *= extents[i];
    }
    std::reverse(dimensions.begin(), dimensions.end());
    buffer.host = reinterpret_cast<uint8_t *>(memory.get());
    buffer.type = isInteger ? halide_type_t(halide_type_int, 32)
                            : halide_type_t(halide_type_float, 32);
    buffer.dimensions = static_cast<int>(dimensions.size());
    buffer.dim = dimensions.data();
  }

  void write(const Tensor &tensor) {
    visit([&](int64_t place, int64_t at) {
      if (isInteger) {
        auto number = static_cast<int32_t>(tensor.data[at]);
        std::memcpy(memory.get() + place, &number, 4);
      } else {
        memory.get()[place] = static_cast<float>(tensor.data[at]);
      }
    });
  }

  Tensor read() {
    Tensor tensor(shape);
    visit([&](int64_t place, int64_t at) {
      tensor.data[at] = memory.get()[place];
    });
    return tensor;
  }

  halide_buffer_t *get() { return &buffer; }

private:
  /// `function(place in memory, position in the tensor)`
  template <typename Function> void visit(Function function) {
    std::vector<int64_t> index(shape.size());
    for (int64_t at = 0; at < Tensor::count(shape); ++at) {
      int64_t rest = at, place = 0;
      for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
        index[axis] = rest % shape[axis];
      for (size_t axis = 0; axis < shape.size(); ++axis)
        place += index[axis] * (panels ? 0 : strides[axis]);
      if (panels)
        place = (index[1] / panels * shape[0] + index[0]) * panels +
                index[1] % panels;
      function(place, at);
    }
  }

  bool isInteger;
  int64_t panels = 0;
  std::vector<int64_t> shape, extents, strides;
  AlignedMemory<float> memory;
  std::vector<halide_dimension_t> dimensions;
  halide_buffer_t buffer = {};
};

/// A matrix of bfloat16 in pairs of rows, with the layout #xf.panels<width, 2>.
class Pairs {
public:
  /// Rounds the tensor's values towards 0. Kernels see elements of 32 bits, or
  /// twice as many of 16.
  Pairs(Tensor &tensor, xf::PanelsAttr panels, bool isDot) {
    int64_t rows = tensor.shape[0], columns = tensor.shape[1];
    int64_t width = panels.getWidth(), distance = xf::PanelsAttr::distance;
    int64_t count = (columns + width - 1) / width;
    size_t bytes = count * rows * width * sizeof(uint16_t);
    memory = alignedMemory<uint16_t>(bytes / sizeof(uint16_t));
    std::fill_n(memory.get(), bytes / sizeof(uint16_t), 0);
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t c = 0; c < columns; ++c) {
        double &number = tensor.data[k * columns + c];
        uint32_t bits =
            std::bit_cast<uint32_t>(static_cast<float>(number)) >> 16;
        number = std::bit_cast<float>(bits << 16);
        int64_t pair = k / (2 * distance) * distance + k % distance;
        int64_t slot = k / distance % 2;
        memory.get()[((c / width * (rows / 2) + pair) * width + c % width) * 2 +
                     slot] = static_cast<uint16_t>(bits);
      }
    auto across = static_cast<int32_t>(isDot ? 2 * width : width);
    auto pairs = static_cast<int32_t>(rows / 2);
    dimensions[0] = {0, across, 1};
    dimensions[1] = {0, pairs, across};
    dimensions[2] = {0, static_cast<int32_t>(count), across * pairs};
    buffer.host = reinterpret_cast<uint8_t *>(memory.get());
    buffer.type = isDot ? halide_type_t(halide_type_bfloat, 16)
                        : halide_type_t(halide_type_uint, 32);
    buffer.dimensions = 3;
    buffer.dim = dimensions;
  }

  halide_buffer_t *get() { return &buffer; }

private:
  AlignedMemory<uint16_t> memory;
  halide_dimension_t dimensions[3];
  halide_buffer_t buffer = {};
};

/// A matrix in blocks of random 8-bit codes, each with a scale from 2^-5 to
/// 2^-2 in its last two bytes. No test uses the resulting values.
class Blocks {
public:
  Blocks(const std::vector<int64_t> &shape, const BlockFormat &format,
         std::mt19937 &random) {
    constexpr int width = blockPanelWidth;
    const auto across = format.bytes / wordBytes * width +
                        format.bytes % wordBytes * width / wordBytes;
    int64_t rows = 1; // of all members of a family
    for (int64_t axis : llvm::ArrayRef(shape).drop_back())
      rows *= axis;
    const auto blocks = static_cast<int32_t>(rows / format.numbers),
               panels =
                   static_cast<int32_t>((shape.back() + width - 1) / width);
    const size_t count = static_cast<size_t>(across) * blocks * panels;
    words = alignedMemory<uint32_t>(count);
    const int codes = format.numbers / wordBytes * width;
    for (size_t place = 0; place < count; ++place) {
      const uint32_t bits = random();
      const bool isCodes = static_cast<int>(place % across) < codes;
      words.get()[place] = isCodes ? bits : (bits & 0x8bff8bffu) | 0x28002800u;
    }
    dimensions[0] = {0, across, 1};
    dimensions[1] = {0, blocks, across};
    dimensions[2] = {0, panels, across * blocks};
    buffer.host = reinterpret_cast<uint8_t *>(words.get());
    buffer.type = halide_type_t(halide_type_uint, 32);
    buffer.dimensions = 3;
    buffer.dim = dimensions;
  }

  halide_buffer_t *get() { return &buffer; }

private:
  AlignedMemory<uint32_t> words;
  halide_dimension_t dimensions[3];
  halide_buffer_t buffer = {};
};

} // namespace transfold::test
