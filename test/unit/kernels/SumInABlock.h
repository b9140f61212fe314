// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum as computed by the threads of a GPU's block, for tests of
// transformations of its code.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

using namespace Halide;

/// Σ_k x(c, k) in a block of `threads` threads with two groups of `columns`
/// sums each, with steps of k outside of the threads.
struct SumInABlock {
  Var c{"c"}, block{"block"}, thread{"thread"}, column{"column"},
      group{"group"};
  RDom k{0, 64, "k"};
  ImageParam x{Float(32), 2, "x"};
  Func sum{"sum"}, result{"result"}, loaded{"loaded"};

  /// With `unrolled`, a thread's loads of a step are not in a loop.
  void build(int threads, int columns, bool unrolled = false) {
    Var channel("channel");
    loaded(c, channel) = x(c, channel);
    sum(c) = 0.0f;
    sum(c) += loaded(c, k);
    result(c) = sum(c);
    auto split = [&](auto stage) {
      stage.split(c, group, c, threads * columns)
          .split(c, thread, column, columns)
          .reorder(column, group, thread)
          .vectorize(column)
          .unroll(group)
          .gpu_threads(thread);
    };
    result.bound(c, 0, 4 * threads * columns)
        .split(c, block, c, 2 * threads * columns)
        .gpu_blocks(block);
    split(result);
    sum.compute_at(result, block)
        .store_in(MemoryType::Register)
        .bound_extent(c, 2 * threads * columns);
    split(sum);
    RVar step("step"), own("own");
    Stage update = sum.update();
    update.split(k, step, own, 16)
        .split(c, group, c, threads * columns)
        .split(c, thread, column, columns)
        .reorder(column, group, own, thread, step)
        .vectorize(column)
        .unroll(group)
        .gpu_threads(thread);
    loaded.compute_at(sum, step)
        .store_in(MemoryType::GPUShared)
        .split(c, group, c, threads * columns)
        .split(c, thread, column, columns)
        .reorder(column, group, thread)
        .gpu_threads(thread);
    if (unrolled)
      loaded.bound_extent(channel, 16)
          .vectorize(column)
          .unroll(group)
          .reorder(channel, column, group, thread)
          .unroll(channel);
  }
};

inline Target openCl() {
  return Target("x86-64-linux-opencl-cl_doubles-no_runtime");
}

} // namespace transfold::kernels
