// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   lanes(l, n)   = Σ_b x(b · L + l, n)²            L = 128 sums of a row
//   total(n)      = Σ_l lanes(l, n)
//   factor(n)     = 1 / √(total(n) / K + ε)         and of a standardized row
//                                                   its mean
//   product(c, n) = Σ_k (x(k, n) factor(n) gain(k)) W(c, k)
//
// Schedules for a GPU of the norms that a product reads. The stored result of a
// norm is one value for each row; the product multiplies by it where it loads
// x.
//
// Few rows: a block has the factors of its rows in shared memory, 512 bytes of
// lanes a row. Each warp has 32 lanes of a row: with K = 4096 a thread adds 32
// values of x that neighbors load from adjacent addresses, 16 in flight, from
// the second-level cache, where all blocks find them: two latencies, and one
// thread of each row adds 128 lanes. The time is determined by W, of which a
// block reads 32 · 4096 values; and no launch precedes it, for which all blocks
// would wait.
//
// Many rows: the factors are computed once, by a launch of its own, 128 threads
// a row, since each row is read by as many blocks as there are tiles of
// columns.

#include "compiler/kernels/schedule/gpu/NormsGpu.h"

#include <numeric>

using namespace Halide;

namespace transfold::kernels {

/// Number of threads of a warp.
constexpr int warp = 32;
/// Number of values of a lane that are loaded before the first is added.
constexpr int ahead = 16;

// The constant extent of a reduction domain.
static int sizeOf(const RDom &domain) {
  auto size = Internal::as_const_int(Internal::simplify(domain.x.extent()));
  if (!size)
    throw std::runtime_error("a row with a norm has a number of columns");
  return static_cast<int>(*size);
}

// A lane in a register, inside the loop `thread` of its consumer.
static void holdLane(RowReduction &reduction, LoopLevel thread) {
  Func lanes = reduction.lanes;
  lanes.compute_at(thread).store_in(MemoryType::Register);
  RVar outer("outer"), inner("inner");
  lanes.update()
      .split(reduction.blocks.x, outer, inner,
             std::gcd(sizeOf(reduction.blocks), ahead))
      .unroll(inner);
}

// Adds the lanes of a row sequentially, loading some at a time.
static void sumLanes(RowReduction &reduction) {
  RVar outer("outer"), inner("inner");
  reduction.total.update()
      .split(reduction.across.x, outer, inner,
             std::gcd(sizeOf(reduction.across), ahead))
      .unroll(inner);
}

// Throws std::runtime_error unless norms are of rows in memory.
static void checkNorms(const Algorithm &algorithm) {
  if (!algorithm.rows.empty() ||
      algorithm.rowReductions.size() != algorithm.rowNumbers.size())
    throw std::runtime_error(
        "beside a product on a GPU, norms are of rows in memory");
}

/// Lanes of a row are distributed among the warps, and one thread of each row
/// adds them.
void scheduleNormsInBlock(Algorithm &algorithm, LoopLevel block, int warps,
                          int rows) {
  checkNorms(algorithm);
  auto onRows = [&](Func function) {
    function.compute_at(block).store_in(MemoryType::GPUShared);
    for (const Var &row : function.args())
      function.bound_extent(row, rows).gpu_threads(row);
    return LoopLevel(function, function.args().empty()
                                   ? Var::outermost()
                                   : function.args().back());
  };
  for (RowReduction &reduction : algorithm.rowReductions) {
    Func shared = Func(reduction.lanes).in(reduction.total);
    const int lanes = sizeOf(reduction.across);
    Var lane = shared.args()[0], line("line"), thread("thread"), all("all"),
        round("round"), own("warp");
    shared.compute_at(block)
        .store_in(MemoryType::GPUShared)
        .bound_extent(lane, lanes)
        .split(lane, line, thread, std::min(warp, lanes));
    if (shared.args().size() > 1) {
      Var row = shared.args()[1];
      shared.bound_extent(row, rows).fuse(line, row, all);
    } else {
      all = line;
    }
    shared.split(all, round, own, warps, TailStrategy::GuardWithIf)
        .reorder(round, thread, own)
        .gpu_threads(thread, own);
    holdLane(reduction, LoopLevel(shared, round));
    // The total is added in a register, and then stored where all threads can
    // read it.
    reduction.total.compute_at(onRows(reduction.total.in()))
        .store_in(MemoryType::Register);
    sumLanes(reduction);
  }
  for (Func &number : algorithm.rowNumbers)
    onRows(number);
}

/// One block for each row, whose threads are the lanes.
void scheduleNormsBefore(Algorithm &algorithm) {
  checkNorms(algorithm);
  for (size_t i = 0; i < algorithm.rowNumbers.size(); ++i) {
    Func number = algorithm.rowNumbers[i];
    if (number.args().size() != 1)
      throw std::runtime_error("norms beside a product are of one axis of "
                               "rows");
    Var row = number.args()[0];
    number.compute_root().gpu_blocks(row);
    LoopLevel block(number, row);
    RowReduction &reduction = algorithm.rowReductions[i];
    Func shared = Func(reduction.lanes).in(reduction.total);
    Var lane = shared.args()[0];
    shared.compute_at(block).store_in(MemoryType::GPUShared).gpu_threads(lane);
    holdLane(reduction, LoopLevel(shared, lane));
    reduction.total.compute_at(block).store_in(MemoryType::Register);
    sumLanes(reduction);
  }
}

} // namespace transfold::kernels
