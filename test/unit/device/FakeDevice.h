// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device whose memory is the host's, with the interface of Halide's runtime:
// a handle is an address, as in CUDA.

#pragma once

#include "runtime/program/device/Device.h"

#include <HalideRuntime.h>

#include <cstdint>
#include <cstring>

namespace fake_device {

inline int64_t blocks = 0;            // number of allocated blocks
inline int64_t mostBytes = INT64_MAX; // maximum size of a block

inline int64_t bytesOf(const halide_buffer_t *buffer) {
  int64_t numbers = 1;
  for (int i = 0; i < buffer->dimensions; ++i)
    numbers += int64_t{buffer->dim[i].extent - 1} * buffer->dim[i].stride;
  return numbers * 4;
}

/// Uninitialized memory reads as NaN.
inline int allocate(void *, halide_buffer_t *buffer,
                    const halide_device_interface_t *interface) {
  const int64_t bytes = bytesOf(buffer);
  if (bytes > mostBytes)
    return halide_error_code_device_malloc_failed;
  auto *memory = new uint8_t[static_cast<size_t>(bytes)];
  std::memset(memory, 0xff, static_cast<size_t>(bytes));
  buffer->device = reinterpret_cast<uint64_t>(memory);
  buffer->device_interface = interface;
  ++blocks;
  return 0;
}
inline int release(void *, halide_buffer_t *buffer) {
  delete[] reinterpret_cast<uint8_t *>(buffer->device);
  buffer->device = 0;
  --blocks;
  return 0;
}
inline int synchronize(void *, halide_buffer_t *) { return 0; }
inline int download(void *, halide_buffer_t *buffer) {
  std::memcpy(buffer->host, reinterpret_cast<void *>(buffer->device),
              static_cast<size_t>(bytesOf(buffer)));
  return 0;
}
inline int64_t uploads = 0;

inline int upload(void *, halide_buffer_t *buffer,
                  const halide_device_interface_t *) {
  ++uploads;
  std::memcpy(reinterpret_cast<void *>(buffer->device), buffer->host,
              static_cast<size_t>(bytesOf(buffer)));
  return 0;
}
inline int crop(void *, const halide_buffer_t *from, halide_buffer_t *to) {
  int64_t numbers = 0;
  for (int i = 0; i < from->dimensions; ++i)
    numbers += int64_t{to->dim[i].min - from->dim[i].min} * from->dim[i].stride;
  to->device = from->device + static_cast<uint64_t>(numbers * 4);
  to->device_interface = from->device_interface;
  return 0;
}
inline int releaseCrop(void *, halide_buffer_t *buffer) {
  buffer->device = 0;
  return 0;
}

/// The device has compute capability 7.5.
inline int computeCapability(void *, int *major, int *minor) {
  *major = 7;
  *minor = 5;
  return 0;
}

inline const halide_device_interface_t interface = {
    .device_malloc = allocate,
    .device_free = release,
    .device_sync = synchronize,
    .device_release = nullptr,
    .copy_to_host = download,
    .copy_to_device = upload,
    .device_and_host_malloc = nullptr,
    .device_and_host_free = nullptr,
    .buffer_copy = nullptr,
    .device_crop = crop,
    .device_slice = nullptr,
    .device_release_crop = releaseCrop,
    .wrap_native = nullptr,
    .detach_native = nullptr,
    .compute_capability = computeCapability,
    .impl = nullptr};

inline int64_t copyLaunches = 0;

inline int32_t *wordsOf(const halide_buffer_t *buffer) {
  return reinterpret_cast<int32_t *>(buffer->device);
}

/// If source and target overlap, the result is neither of both.
inline void copy(const int32_t *source, int32_t *target, int64_t words) {
  const bool overlap = source < target + words && target < source + words;
  for (int64_t i = 0; i < words; ++i)
    target[i] = overlap ? -1 : source[i];
}

// The kernels of Program.h.

inline int32_t copyWords(halide_buffer_t *from, halide_buffer_t *to) {
  ++copyLaunches;
  copy(wordsOf(from) + (from->dim[1].extent - 1),
       wordsOf(to) + (to->dim[1].extent - 1), to->dim[0].extent);
  return 0;
}

inline int32_t copySeveral(void **buffers) {
  ++copyLaunches;
  auto **from = reinterpret_cast<halide_buffer_t **>(buffers);
  halide_buffer_t **to = from + TRANSFOLD_COPIES;
  const int64_t words = to[0]->dim[0].extent;
  for (int k = 0; k < TRANSFOLD_COPIES; ++k)
    copy(wordsOf(from[k]) + (from[k]->dim[1].extent - 1),
         wordsOf(to[k]) + to[k]->dim[1].stride, words);
  return 0;
}

inline const transfold::runtime::DeviceHelpers helpers = {copyWords,
                                                          copySeveral, nullptr};

} // namespace fake_device
