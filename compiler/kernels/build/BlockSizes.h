// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_BLOCKSIZES_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_BLOCKSIZES_H

#include <Halide.h>

namespace transfold::kernels {

/// The module of a kernel for CUDA, whose PTX says how many threads a block
/// has, and that one block on a multiprocessor is enough.
///
/// Where ptxas knows neither, it counts on blocks of up to 1024 threads and
/// wants several of them: it takes few registers, and moves loads that stand
/// before a run of sums (LoadsFirst.h) back between them. With both it keeps
/// them where they are: of 40 loads of 16 bytes before 128 multiply-adds it had
/// 4 on their way in 37 registers, and has 40 in 182.
///
///   .entry kernel(…)          .entry kernel(…)
///                        →    .maxntid 32, 3, 1
///                             .minnctapersm 1
///   {                         {
Halide::Module withBlockSizes(const Halide::Module &module);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_BLOCKSIZES_H
