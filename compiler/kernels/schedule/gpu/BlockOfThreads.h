// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that the threads of a GPU's block execute together.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Number of values that a thread loads at a time: 16 bytes.
constexpr int lanesOfLoad = 4;

/// A thread block of `down` rows of `across` threads, and the loops over them.
struct BlockOfThreads {
  int across, down;
  Halide::Var thread{"thread"}, rowThread{"rowThread"};

  /// Number of threads of the block.
  int threads() const { return across * down; }

  /// Distributes the arguments `first` and `second` of a stage, `numbers`
  /// values in all, one to each thread; neighboring threads have neighboring
  /// places along `first`. Loops `inner` are executed by a single thread.
  template <typename Part>
  void spread(Part part, const Halide::Var &first, const Halide::Var &second,
              int numbers,
              const std::vector<Halide::VarOrRVar> &inner = {}) const {
    Halide::Var all("all"), round("round"), each("each");
    part.fuse(first, second, all)
        .split(all, round, each, threads(),
               numbers % threads() ? Halide::TailStrategy::GuardWithIf
                                   : Halide::TailStrategy::RoundUp)
        .split(each, rowThread, thread, across);
    std::vector<Halide::VarOrRVar> order = inner;
    order.insert(order.end(), {round, thread, rowThread});
    part.reorder(order).unroll(round).gpu_threads(thread, rowThread);
  }

  /// Loads an operand of a step, `numbers` values in all, into the shared
  /// memory of the block: in vectors of up to lanesOfLoad that divide `extent`,
  /// along `vector`, which `other` follows.
  void loadTogether(Halide::Func operand, const Halide::Var &vector,
                    const Halide::Var &other, int extent, int numbers,
                    const Halide::LoopLevel &step) const {
    Halide::Var quad("quad"), lane("lane");
    int width = lanesOfLoad;
    while (extent % width)
      width /= 2;
    operand.compute_at(step)
        .store_in(Halide::MemoryType::GPUShared)
        .split(vector, quad, lane, width)
        .vectorize(lane);
    spread(operand, quad, other, numbers / width, {lane});
  }
};

} // namespace transfold::kernels
