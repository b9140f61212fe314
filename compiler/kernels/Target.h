// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What schedules need to know of a machine. Free of Halide and of MLIR.

#ifndef TRANSFOLD_COMPILER_KERNELS_TARGET_H
#define TRANSFOLD_COMPILER_KERNELS_TARGET_H

#include <string>

namespace transfold::kernels {

struct Machine {
  /// As Halide writes it: x86-64-linux-avx2-fma-…
  std::string target;
  /// Floats in a vector register.
  int vector = 4;
  int registers = 16;
};

/// The machine of a target's name; "host" is this machine. Throws
/// std::runtime_error where the name is none.
Machine describeMachine(const std::string &target);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_TARGET_H
