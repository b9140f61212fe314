// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device beside the host, as one session uses it: an arena in its memory, in
// which all values between an entry's arguments and results stay. Any device
// that Halide's runtime knows (OpenCL, CUDA, …), through the functions that it
// offers for each.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H
#define TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H

#include "runtime/program/DeviceMemory.h"
#include "runtime/program/DeviceWeights.h"
#include "runtime/program/Program.h"

#include <span>
#include <vector>

namespace transfold::runtime {

/// The kernels of a program beside those of its entries (Program.h).
struct DeviceHelpers {
  decltype(transfold_program::copy_words) copyWords;
  decltype(transfold_program::copy_several) copySeveral;
  decltype(transfold_program::largest) largest;
};

class Device : private transfold_device {
public:
  /// The device that has the weights, which must live as long.
  Device(const DeviceWeights &weights, const DeviceHelpers &helpers);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Makes the arena at least so large; what it held is lost where it grows.
  /// Throws Error.
  void reserveArena(int64_t bytes);
  /// Waits until all kernels that were started are done.
  void synchronize();
  /// What an entry's code uses.
  transfold_device &functions() { return *this; }
  const halide_device_interface_t *deviceInterface() const { return interface; }
  /// Bytes within the device's memory that do not overlap.
  struct Copy {
    transfold_memory toMemory;
    int64_t to;
    transfold_memory fromMemory;
    int64_t from, bytes;
  };
  /// Copies in order with kernels and without waiting for them. Where there is
  /// `more`, another copy follows before anything else, and both may start
  /// together. Returns 0, or an error code of Halide's.
  int copyWithin(const Copy &copy, bool more = false);
  // What transfold_device says.
  int upload(int64_t to, const void *from, int64_t bytes, bool more);
  int largestOfRows(int32_t *places, void *values, int64_t from, int64_t rows,
                    int64_t numbers);

private:
  DeviceMemory arenaMemory, piecesMemory;
  DeviceHelpers helpers;
  struct Upload {
    int64_t to;
    const void *from;
    int64_t bytes;
  };
  // Until there is no more.
  std::vector<Copy> waiting;
  std::vector<Upload> uploads;
  std::vector<uint8_t> together; // all uploads
  std::vector<int64_t> pieces;

  int uploadTogether();
  int copyOne(const Copy &copy);
  int copyTogether(std::span<const Copy> copies);
  int copyWaiting();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H
