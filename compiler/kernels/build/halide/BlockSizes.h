// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations that let ptxas give threads of small blocks more registers.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Returns the module of a kernel for CUDA with PTX that declares the number of
/// threads of a block, and that one block on a multiprocessor is enough.
///
/// Without these declarations ptxas assumes blocks of up to 1024 threads,
/// several of them on a multiprocessor: it allocates few registers, and moves
/// loads that precede a run of sums (LoadsFirst.h) back between the sums. With
/// both declarations the loads stay where they are: of 40 loads of 16 bytes
/// before 128 multiply-adds, 4 were in flight without them, in 37 registers,
/// and 40 are with them, in 182.
///
///   .entry kernel(…)          .entry kernel(…)
///                        →    .maxntid 32, 3, 1
///                             .minnctapersm 1
///   {                         {
Halide::Module withBlockSizes(const Halide::Module &module);

} // namespace transfold::kernels
