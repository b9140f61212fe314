// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of tensor cores in PTX.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Returns the module of a kernel for CUDA with instructions in place of the
/// calls in its PTX:
///
///   call.uni (retval0), transfold_multiply_fragments, (param0, …, param9);
///   call.uni (retval0), transfold_next_of_fragments, (param0);     three times
///
///   →  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
///        {%sum0, …, %sum3}, {a0, …, a3}, {b0, b1}, {c0, …, c3};
///      mov.b32 …, %sum0;   and so on
///
/// Halide and the LLVM in it reach no function with several results, and Halide
/// keeps device code as text; the assembler of PTX removes the moves. Throws
/// std::runtime_error for calls in another form.
Halide::Module withFragmentInstructions(const Halide::Module &module);

} // namespace transfold::kernels
