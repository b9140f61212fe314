// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates, divides and copies blocks through Halide's device interface. A
// part is a crop of the whole block, since OpenCL has no pointers into buffers.

#include "runtime/program/device/DeviceMemory.h"

#include "runtime/kernels/KernelError.h"

#include <algorithm>
#include <charconv>

namespace transfold::runtime::inline program {

static constexpr int64_t partBytes = int64_t{1} << TRANSFOLD_PART_BITS;

/// A range of bytes of one part as a Halide buffer: a row of words, for copies.
class DeviceMemory::Range {
public:
  halide_buffer_t buffer = {};
  int code; // Halide's result code of the crop

  Range(const DeviceMemory &memory, int64_t offset, int64_t bytes) {
    halide_dimension_t wholeRow = {0, INT32_MAX, 1, 0};
    halide_buffer_t part = memory.all.buffer;
    part.device = memory.handles[static_cast<size_t>(offset / partBytes)];
    part.dimensions = 1;
    part.dim = &wholeRow;
    row = {static_cast<int32_t>(offset % partBytes / wordBytes),
           static_cast<int32_t>((bytes + wordBytes - 1) / wordBytes), 1, 0};
    buffer.type = part.type;
    buffer.dimensions = 1;
    buffer.dim = &row;
    code = memory.interface->device_crop(nullptr, &part, &buffer);
  }
  Range(const Range &) = delete;
  Range &operator=(const Range &) = delete;
  ~Range() {
    if (buffer.device)
      buffer.device_interface->device_release_crop(nullptr, &buffer);
  }

private:
  halide_dimension_t row;
};

int DeviceMemory::allocate(int64_t bytes) {
  release();
  const int64_t words =
      (std::max<int64_t>(bytes, 1) + wordBytes - 1) / wordBytes;
  constexpr int64_t wordsOfPart = partBytes / wordBytes;
  const int64_t count = (words + wordsOfPart - 1) / wordsOfPart;
  const int64_t row = count == 1 ? words : wordsOfPart;
  if (count > INT32_MAX)
    return halide_error_code_buffer_extents_too_large;
  all.dimensions[0] = {0, static_cast<int32_t>(row), 1, 0};
  all.dimensions[1] = {0, static_cast<int32_t>(count),
                       static_cast<int32_t>(row), 0};
  all.buffer.type = halide_type_of<int32_t>();
  all.buffer.dimensions = 2;
  all.buffer.dim = all.dimensions.data();
  if (int code = interface->device_malloc(nullptr, &all.buffer, interface))
    return code;
  size = count * row * wordBytes;
  handles.push_back(all.buffer.device);
  return describeParts(static_cast<int32_t>(count));
}

int DeviceMemory::describeParts(int32_t count) {
  for (int32_t part = 1; part < count; ++part) {
    Words &words = others.emplace_back();
    words.dimensions = all.dimensions;
    words.dimensions[1].min = part;
    words.dimensions[1].extent = count - part;
    words.buffer.type = all.buffer.type;
    words.buffer.dimensions = 2;
    words.buffer.dim = words.dimensions.data();
    if (int code =
            interface->device_crop(nullptr, &all.buffer, &words.buffer)) {
      others.pop_back();
      release();
      return code;
    }
    handles.push_back(words.buffer.device);
  }
  return 0;
}

void DeviceMemory::release() {
  for (Words &words : others)
    interface->device_release_crop(nullptr, &words.buffer);
  others.clear();
  handles.clear();
  if (all.buffer.device)
    interface->device_free(nullptr, &all.buffer);
  all.buffer = {};
  size = 0;
}

template <typename Copy>
int DeviceMemory::copyRanges(int64_t offset, int64_t bytes, Copy copy) const {
  for (int64_t done = 0, count; done < bytes; done += count) {
    count = std::min(bytes - done, partBytes);
    Range range(*this, offset + done, count);
    if (range.code)
      return range.code;
    if (int code = copy(range.buffer, done))
      return code;
  }
  return 0;
}

int DeviceMemory::upload(int64_t to, const void *from, int64_t bytes) const {
  auto *host = static_cast<uint8_t *>(const_cast<void *>(from));
  return copyRanges(to, bytes, [&](halide_buffer_t &range, int64_t done) {
    range.host = host + done;
    range.set_host_dirty();
    return interface->copy_to_device(nullptr, &range, interface);
  });
}

int DeviceMemory::download(void *to, int64_t from, int64_t bytes) const {
  auto *host = static_cast<uint8_t *>(to);
  return copyRanges(from, bytes, [&](halide_buffer_t &range, int64_t done) {
    range.host = host + done;
    range.set_device_dirty();
    return interface->copy_to_host(nullptr, &range);
  });
}

int DeviceMemory::copyAll(const DeviceMemory &other) {
  halide_buffer_t from = other.all.buffer;
  from.set_device_dirty();
  return interface->buffer_copy(nullptr, &from, interface, &all.buffer);
}

int DeviceMemory::synchronize() {
  return interface->device_sync(nullptr, &all.buffer);
}

/// Ten times the compute capability that a target requires of a GPU: 80 for
/// x86-64-linux-cuda-cuda_capability_80; 0 for targets without one.
static int requiredCapability(std::string_view target) {
  constexpr std::string_view feature = "cuda_capability_";
  const size_t at = target.find(feature);
  int number = 0;
  if (at != std::string_view::npos)
    std::from_chars(target.data() + at + feature.size(),
                    target.data() + target.size(), number);
  return number;
}

bool isThere(const halide_device_interface_t *interface,
             std::string_view target) {
  int major = 0, minor = 0;
  const int code = interface->compute_capability(nullptr, &major, &minor);
  if (code)
    lastKernelError(code); // discard the message: no kernel failed
  // Without a device, Halide reports the compute capability 0.0.
  return code == 0 && (major || minor) &&
         10 * major + minor >= requiredCapability(target);
}

} // namespace transfold::runtime::inline program
