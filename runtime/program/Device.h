// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device beside the host: a copy of the weights, made once, and an arena, in
// which all values between an entry's arguments and results stay. Any device
// that Halide's runtime knows (OpenCL, CUDA, …), through the functions that it
// offers for each.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H
#define TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H

#include "runtime/program/Program.h"

#include <HalideRuntime.h>

#include <span>

namespace transfold::runtime {

class Device : private transfold_device {
public:
  /// Copies the weights. Throws Error where there is no device or not enough
  /// memory on it.
  Device(const halide_device_interface_t *interface,
         std::span<const uint8_t> weights);
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
  /// Memory of the device, as a row of words; it does not move.
  struct Memory {
    halide_dimension_t row = {0, 0, 1, 0};
    halide_buffer_t buffer = {};
    Memory() = default;
    Memory(const Memory &) = delete;
  };
  static void describe(Memory &memory, int64_t bytes);

  class Part;
  int copyFromHost(uint64_t to, const void *from, int64_t bytes);
  int copyToHost(void *to, uint64_t from, int64_t bytes);
  int copyWithin(uint64_t to, uint64_t from, int64_t bytes);

  Memory weightsMemory, arenaMemory;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICE_H
