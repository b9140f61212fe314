// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection of the target that runs: a program made with compile
// --target=cuda,x86-64 uses the GPU if there is one.

#pragma once

#include "runtime/program/Program.h"

#include <string_view>
#include <vector>

namespace transfold::runtime::inline program {

/// Device on which the kernels of `program` itself run, not those of the
/// programs linked after it (`next`): "opencl", "cuda" or "cuda_80"; "cpu" for
/// the host's processor.
std::string_view deviceOf(const transfold_program &program);

/// The target of `program` itself, in Halide's syntax; empty if it has none.
std::string_view targetOf(const transfold_program &program);

/// The devices of `program` and of all programs linked after it, in the order
/// in which they are tried.
std::vector<std::string_view> devicesOf(const transfold_program &program);

/// Without `device`: the first of `program` and the programs linked after it
/// whose device is present, or the last one. With `device`: the program for
/// that device; the device is not looked for before it is used. Throws Error if
/// there is no program for it.
const transfold_program &chooseAlternative(const transfold_program &program,
                                           std::string_view device);

} // namespace transfold::runtime::inline program
