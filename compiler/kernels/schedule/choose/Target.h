// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of a machine that schedules depend on. This header depends
// neither on Halide nor on MLIR.

#pragma once

#include <string>
#include <vector>

namespace transfold::kernels {

/// A kind of machine, and the instructions that kernels use.
struct Machine {
  /// The short name: amx, avx512_bf16, avx512, avx2, neon_bf16, neon_dot, neon,
  /// opencl, cuda_80, cuda, vulkan; for other machines the target.
  std::string name;
  /// The target in Halide's syntax: x86-64-linux-avx2-fma-…
  std::string target;
  /// Number of floats in a vector register.
  int vector = 4;
  /// Number of vector registers.
  int registers = 16;
  /// Number of bfloat16 products that one instruction adds up; 1 if there is no
  /// such instruction.
  int dot = 1;
  /// One instruction multiplies four bytes with four others and adds the
  /// products.
  bool addsBytes = false;
  /// In that instruction, the first four bytes are unsigned.
  bool takesUnsignedBytes = false;
  /// Number of rows of a matrix of bytes that one instruction multiplies with
  /// another matrix: 16 in matrix registers, 2 in vectors; 0 if there is no
  /// such instruction.
  int tileRows = 0;
  /// One instruction multiplies matrices of pairs of bfloat16, and adds in an
  /// order of its own: AMX, or the tensor cores of a GPU.
  bool multipliesTilesOfPairs = false;
  /// Kernels run on a GPU, in thread blocks.
  bool isGpu = false;
};

/// The target if the user gives none: "x86-64" or "arm-64-linux" on such a
/// machine, else "host".
std::string defaultTarget();

/// The machines of a target's name, the most capable first: "host" is this one,
/// "amx", "avx512_bf16", "avx512" and "avx2" are processors with these
/// instructions and "x86-64" is all four, and in the same way "neon_bf16",
/// "neon_dot" and "neon" are the processors of "arm-64-linux"; "opencl",
/// "cuda_80", "cuda" and "vulkan" are GPUs in a machine with this kind of
/// processor, all other names are Halide's. Throws std::runtime_error for other
/// names.
std::vector<Machine> describeMachines(const std::string &target);

/// The machine and, if it is a processor that has a name, the less capable ones
/// of its kind, the most capable first.
std::vector<Machine> andLessAble(const Machine &machine);

/// LLVM's triple of the machines of a target if they are of another kind than
/// this one: "aarch64-linux-gnu"; else empty. Throws std::runtime_error if the
/// name is not a target, or no program can be made for it.
std::string crossTripleOf(const std::string &target);

} // namespace transfold::kernels
