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

namespace transfold::runtime {

/// The kernel that copies words (Program.h).
using CopyWords = decltype(transfold_program::copy_words);

class Device : private transfold_device {
public:
  /// The device that has the weights, which must live as long.
  Device(const DeviceWeights &weights, CopyWords copyWords);
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
  /// Copies bytes that do not overlap, in order with kernels and without
  /// waiting for them. Returns 0, or an error code of Halide's.
  int copyWithin(transfold_memory toMemory, int64_t to,
                 transfold_memory fromMemory, int64_t from, int64_t bytes);

private:
  DeviceMemory arenaMemory;
  CopyWords copyWords;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H
