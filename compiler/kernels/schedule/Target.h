// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What schedules need to know of a machine. Free of Halide and of MLIR.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_TARGET_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_TARGET_H

#include <string>
#include <vector>

namespace transfold::kernels {

struct Machine {
  /// In a word: amx, avx512_bf16, avx512, avx2, neon_bf16, neon_dot, neon,
  /// opencl, cuda, vulkan; else the target.
  std::string name;
  /// As Halide writes it: x86-64-linux-avx2-fma-…
  std::string target;
  /// Floats in a vector register.
  int vector = 4;
  int registers = 16;
  /// Products of bfloat16 that one instruction adds up; 1 where there is none.
  int dot = 1;
  /// One instruction multiplies four bytes with four others and adds them up.
  bool addsBytes = false;
  /// … where the first four have no sign.
  bool takesUnsignedBytes = false;
  /// Rows of a matrix of bytes that one instruction multiplies with another
  /// matrix: 16 in registers of their own, 2 in vectors; 0 where there is none.
  int tileRows = 0;
  /// One instruction multiplies matrices of pairs of bfloat16, and adds up in
  /// an order of its own.
  bool multipliesTilesOfPairs = false;
  /// Kernels run on a GPU, in blocks of threads.
  bool isGpu = false;
};

/// What to compile for where nobody says: "x86-64" or "arm-64-linux" on such a
/// machine, else "host".
std::string defaultTarget();

/// The machines of a target's name, the most able first: "host" is this one,
/// "amx", "avx512_bf16", "avx512" and "avx2" are processors with these
/// instructions and "x86-64" is all four, so are "neon_bf16", "neon_dot" and
/// "neon" with "arm-64-linux"; "opencl", "cuda" and "vulkan" are GPUs beside
/// this kind of processor, all other names are Halide's. Throws
/// std::runtime_error where the name is none.
std::vector<Machine> describeMachines(const std::string &target);

/// The machine and, where it is a processor that has a name, those of its kind
/// that are less able, the most able first.
std::vector<Machine> andLessAble(const Machine &machine);

/// What LLVM calls the machines of a target where they are of another kind than
/// this one: "aarch64-linux-gnu"; else empty. Throws std::runtime_error where
/// the name is none, or no program can be made for it.
std::string crossTripleOf(const std::string &target);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_TARGET_H
