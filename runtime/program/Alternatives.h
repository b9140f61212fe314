// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a program's targets runs: compile --target=cuda,x86-64 makes a
// program that takes the GPU where there is one.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_ALTERNATIVES_H
#define TRANSFOLD_RUNTIME_PROGRAM_ALTERNATIVES_H

#include "runtime/program/Program.h"

#include <string_view>
#include <vector>

namespace transfold::runtime {

/// Where the kernels of `program` run, not of those behind it: "opencl",
/// "cuda"; "cpu" is the processor.
std::string_view deviceOf(const transfold_program &program);

/// Those of `program` and all behind it, in the order in which they are tried.
std::vector<std::string_view> devicesOf(const transfold_program &program);

/// The first of `program` and those behind it whose device is there, or the
/// last one; with `device` that one, which is not looked for before it is used.
/// Throws Error where the program has none of that name.
const transfold_program &chooseAlternative(const transfold_program &program,
                                           std::string_view device);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_ALTERNATIVES_H
