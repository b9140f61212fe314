// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of transfold_device. The host waits for each upload, and each
// launch costs time whatever its size; therefore small ones are collected and
// merged.

#include "runtime/program/device/Device.h"

#include "base/Error.h"
#include "runtime/cuda/LaunchGraph.h"
#include "runtime/kernels/KernelError.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace transfold::runtime::inline program {

namespace {

constexpr int64_t wordBytes = DeviceMemory::wordBytes;

/// A block of values as kernels get it: a Halide buffer of one part of the
/// device's memory.
struct Operand {
  std::array<halide_dimension_t, 3> dimensions;
  halide_buffer_t buffer = {};
  int32_t first; // index, in words, of the first value in its part

  Operand(const halide_device_interface_t *interface, transfold_memory memory,
          int64_t offset) {
    const int64_t part = offset >> TRANSFOLD_PART_BITS;
    first = static_cast<int32_t>((offset - (part << TRANSFOLD_PART_BITS)) /
                                 wordBytes);
    buffer.device = memory.parts[part];
    buffer.device_interface = interface;
    buffer.type = halide_type_of<int32_t>();
    buffer.dim = dimensions.data();
  }
  Operand(const Operand &) = delete;

  /// Adds one dimension after the existing ones.
  void add(int64_t extent, int64_t stride) {
    dimensions[static_cast<size_t>(buffer.dimensions++)] = {
        0, static_cast<int32_t>(extent), static_cast<int32_t>(stride), 0};
  }
  /// Adds the last dimension, whose last index is where the values begin in the
  /// part.
  void addBegin() { add(int64_t{first} + 1, 1); }
};

/// Copies are split into pieces of this size, because kernels count the words
/// of a piece, and the words before it in its part, with 32 bits.
constexpr int64_t mostBytesOfCopy = int64_t{1} << 30;

/// Number of words that contain `bytes` bytes.
int64_t wordsOf(int64_t bytes) { return (bytes + wordBytes - 1) / wordBytes; }

/// Copies of more words are launches of their own: copySeveral always copies
/// TRANSFOLD_COPIES pieces and repeats the last one if there are fewer, which
/// is expensive for large ones.
constexpr int64_t mostWordsTogether = int64_t{1} << 16;

} // namespace

Device::Device(const DeviceWeights &weights, const DeviceHelpers &helpers)
    : transfold_device{
          weights.interface(),
          weights.parts(),
          {},
          [](transfold_device *self, int64_t to, const void *from,
             int64_t bytes, int64_t more) -> int32_t {
            return static_cast<Device *>(self)->upload(to, from, bytes,
                                                       more != 0);
          },
          [](transfold_device *self, void *to, int64_t from,
             int64_t bytes) -> int32_t {
            return static_cast<Device *>(self)->arenaMemory.download(to, from,
                                                                     bytes);
          },
          [](transfold_device *self, transfold_memory toMemory, int64_t to,
             transfold_memory fromMemory, int64_t from, int64_t bytes,
             int64_t more) -> int32_t {
            return static_cast<Device *>(self)->copyWithin(
                {toMemory, to, fromMemory, from, bytes}, more != 0);
          },
          [](transfold_device *self, int32_t *places, void *values,
             int64_t from, int64_t rows, int64_t numbers) -> int32_t {
            return static_cast<Device *>(self)->largestOfRows(
                places, values, from, rows, numbers);
          },
          [](transfold_device *, int64_t lane) -> int32_t {
            if (cuda::LaunchGraph *graph = cuda::currentGraph())
              graph->runBeside(lane);
            return 0;
          }},
      arenaMemory(weights.interface()), piecesMemory(weights.interface()),
      helpers(helpers) {}

void Device::reserveArena(int64_t bytes) {
  if (arenaMemory.bytes() && bytes <= arenaMemory.bytes())
    return;
  int code = arenaMemory.allocate(bytes);
  arena = arenaMemory.parts();
  if (code)
    fail("cannot allocate {} MiB of scratch memory on the device: {}",
         bytes >> 20, lastKernelError(code));
}

void Device::synchronize() {
  if (int code = arenaMemory.synchronize())
    fail("the device failed: {}", lastKernelError(code));
}

//===----------------------------------------------------------------------===//
// Uploads
//===----------------------------------------------------------------------===//

int Device::upload(int64_t to, const void *from, int64_t bytes, bool more) {
  uploads.push_back({to, from, bytes});
  if (more)
    return 0;
  const int code = uploadTogether();
  uploads.clear();
  return code;
}

/// The host waits for each upload, and the uploads of one token are a few bytes
/// each. Therefore all of them are done as one upload that includes the gaps
/// between them; the arena holds nothing else yet.
int Device::uploadTogether() {
  constexpr int64_t mostBytes = 64 << 10;
  int64_t begin = uploads[0].to, end = begin;
  for (const Upload &each : uploads) {
    begin = std::min(begin, each.to);
    end = std::max(end, each.to + each.bytes);
  }
  if (uploads.size() > 1 && end - begin <= mostBytes) {
    together.assign(static_cast<size_t>(end - begin), 0);
    for (const Upload &each : uploads)
      std::memcpy(together.data() + (each.to - begin), each.from,
                  static_cast<size_t>(each.bytes));
    return arenaMemory.upload(begin, together.data(), end - begin);
  }
  for (const Upload &each : uploads)
    if (int code = arenaMemory.upload(each.to, each.from, each.bytes))
      return code;
  return 0;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

int Device::copyWithin(const Copy &copy, bool more) {
  waiting.push_back(copy);
  if (more)
    return 0;
  const int code = waiting.size() == 1 ? copyOne(copy) : copyWaiting();
  waiting.clear();
  return code;
}

/// Groups copies of equal size; each group is one launch.
int Device::copyWaiting() {
  std::ranges::sort(waiting, {}, &Copy::bytes);
  std::span<const Copy> rest = waiting;
  while (!rest.empty()) {
    size_t count = 1;
    while (count < std::min<size_t>(rest.size(), TRANSFOLD_COPIES) &&
           rest[count].bytes == rest[0].bytes)
      ++count;
    if (wordsOf(rest[0].bytes) > mostWordsTogether)
      count = 1;
    const std::span<const Copy> some = rest.first(count);
    if (int code = count == 1 ? copyOne(some[0]) : copyTogether(some))
      return code;
    rest = rest.subspan(count);
  }
  return 0;
}

int Device::copyOne(const Copy &copy) {
  for (int64_t done = 0, count; done < copy.bytes; done += count) {
    count = std::min(copy.bytes - done, mostBytesOfCopy);
    Operand source(interface, copy.fromMemory, copy.from + done);
    Operand target(interface, copy.toMemory, copy.to + done);
    for (Operand *each : {&source, &target}) {
      each->add(wordsOf(count), 1);
      each->addBegin();
    }
    if (int code = helpers.copyWords(&source.buffer, &target.buffer))
      return code;
  }
  return 0;
}

int Device::copyTogether(std::span<const Copy> copies) {
  const int64_t words = wordsOf(copies[0].bytes);
  std::array<std::optional<Operand>, size_t{2} * TRANSFOLD_COPIES> operands;
  std::array<void *, size_t{2} * TRANSFOLD_COPIES> buffers;
  for (size_t k = 0; k < TRANSFOLD_COPIES; ++k) {
    const Copy &copy = copies[std::min(k, copies.size() - 1)];
    Operand &source =
        operands[k].emplace(interface, copy.fromMemory, copy.from);
    source.add(words, 1);
    source.addBegin();
    Operand &target = operands[TRANSFOLD_COPIES + k].emplace(
        interface, copy.toMemory, copy.to);
    target.add(words, 1);
    // The offset as a stride: the last of the form that `copy_several` expects.
    target.add(2, target.first);
    buffers[k] = &source.buffer;
    buffers[TRANSFOLD_COPIES + k] = &target.buffer;
  }
  return helpers.copySeveral(buffers.data());
}

//===----------------------------------------------------------------------===//
// Argmax of rows
//===----------------------------------------------------------------------===//

/// The index encoded in the largest of a row's pieces (`largest` in Program.h);
/// -1 if the largest element is NaN or infinity, or if all are -∞.
static int32_t placeOf(std::span<const int64_t> pieces) {
  constexpr int32_t infinity = 0x7f800000, minusInfinity = INT32_MIN + 0x7fffff;
  const int64_t largest = *std::ranges::max_element(pieces);
  const auto number = static_cast<int32_t>(largest >> 32);
  if (number >= infinity || number <= minusInfinity)
    return -1;
  // The lower half is UINT32_MAX minus the index.
  return static_cast<int32_t>(~static_cast<uint32_t>(largest));
}

int Device::largestOfRows(int32_t *places, void *values, int64_t from,
                          int64_t rows, int64_t numbers) {
  const int64_t count =
      (numbers + TRANSFOLD_LARGEST_OF - 1) / TRANSFOLD_LARGEST_OF;
  const auto bytes = static_cast<int64_t>(rows * count * sizeof(int64_t));
  if (bytes > piecesMemory.bytes())
    if (int code = piecesMemory.allocate(bytes))
      return code;
  Operand logits(interface, arenaMemory.parts(), from);
  logits.add(numbers, 1);
  logits.add(rows, numbers);
  logits.addBegin();
  Operand largest(interface, piecesMemory.parts(), 0);
  largest.buffer.type = halide_type_of<int64_t>();
  largest.add(count, 1);
  largest.add(rows, count);
  if (int code = helpers.largest(&logits.buffer, &largest.buffer))
    return code;
  pieces.resize(static_cast<size_t>(rows * count));
  if (int code = piecesMemory.download(pieces.data(), 0, bytes))
    return code;
  bool isAnyBad = false;
  for (int64_t row = 0; row < rows; ++row) {
    places[row] = placeOf(std::span(pieces).subspan(
        static_cast<size_t>(row * count), static_cast<size_t>(count)));
    isAnyBad |= places[row] < 0;
  }
  return isAnyBad ? arenaMemory.download(
                        values, from,
                        static_cast<int64_t>(rows * numbers * sizeof(float)))
                  : 0;
}

} // namespace transfold::runtime::inline program
