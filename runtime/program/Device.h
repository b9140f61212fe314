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

class Device : private transfold_device {
public:
  /// The device that has the weights, which must live as long.
  explicit Device(const DeviceWeights &weights);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  /// Makes the arena at least so large; what it held is lost where it grows.
  /// Throws Error.
  void reserveArena(int64_t bytes);
  /// Waits until all kernels that were started are done.
  void synchronize();
  /// What an entry's code uses.
  transfold_device &functions() { return *this; }

private:
  class Part;
  int copyFromHost(uint64_t to, const void *from, int64_t bytes);
  int copyToHost(void *to, uint64_t from, int64_t bytes);
  int copyWithin(uint64_t to, uint64_t from, int64_t bytes);

  DeviceMemory arenaMemory;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H
