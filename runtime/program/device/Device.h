// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device (GPU) as one session uses it: an arena in its memory holds all
// values between an entry's arguments and results. Works with any device that
// Halide's runtime supports (OpenCL, CUDA, …), through Halide's device
// interface.

#pragma once

#include "runtime/program/Program.h"
#include "runtime/program/device/DeviceMemory.h"
#include "runtime/program/device/DeviceWeights.h"

#include <span>
#include <vector>

namespace transfold::runtime::inline program {

/// The program's device kernels that do not belong to an entry (Program.h).
struct DeviceHelpers {
  decltype(transfold_program::copy_words) copyWords;
  decltype(transfold_program::copy_several) copySeveral;
  decltype(transfold_program::largest) largest;
};

/// Implements the functions of transfold_device (Program.h) for one session.
class Device : private transfold_device {
public:
  /// Uses the device that holds `weights`, which must outlive this object.
  Device(const DeviceWeights &weights, const DeviceHelpers &helpers);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Grows the arena to at least `bytes`; its contents are lost if it grows.
  /// Throws Error.
  void reserveArena(int64_t bytes);
  /// Waits until all launched kernels have finished.
  void synchronize();
  /// The functions that the code of an entry calls.
  transfold_device &functions() { return *this; }
  /// Halide's functions for this kind of device.
  const halide_device_interface_t *deviceInterface() const { return interface; }
  /// A copy within the device's memory; source and target must not overlap.
  struct Copy {
    transfold_memory toMemory;
    int64_t to;
    transfold_memory fromMemory;
    int64_t from, bytes;
  };
  /// Copies in order with kernels, without waiting for them. If `more` is true,
  /// another copy follows before anything else, and both may start together.
  /// Returns 0 or an error code of Halide.
  int copyWithin(const Copy &copy, bool more = false);
  // Implement the functions of transfold_device (Program.h).
  int upload(int64_t to, const void *from, int64_t bytes, bool more);
  int largestOfRows(int32_t *places, void *values, int64_t from, int64_t rows,
                    int64_t numbers);

private:
  /// The arena, and the results of the kernel `largest` for each piece of a
  /// row.
  DeviceMemory arenaMemory, piecesMemory;
  DeviceHelpers helpers;
  /// A copy from the host's memory to byte `to` of the arena.
  struct Upload {
    int64_t to;
    const void *from;
    int64_t bytes;
  };
  // Collected until a call without `more`.
  std::vector<Copy> waiting;
  std::vector<Upload> uploads;
  std::vector<uint8_t> together; // buffer for merged uploads
  /// The contents of `piecesMemory` on the host.
  std::vector<int64_t> pieces;

  /// Does the uploads that were collected, as one if that is possible.
  int uploadTogether();
  /// Launches the kernel `copy_words` for one copy, and `copy_several` for at
  /// most TRANSFOLD_COPIES copies of the same size.
  int copyOne(const Copy &copy);
  int copyTogether(std::span<const Copy> copies);
  /// Launches the copies that were collected.
  int copyWaiting();
};

} // namespace transfold::runtime::inline program
