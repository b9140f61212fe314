// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c, n)    = Σ_k x(k, n) W(c, k)
//   result(c, n) = epilogue(sum(c, n), …)            bias, activation, residual
//
// Schedule for a GPU. A thread keeps `rows` × `columns` sums in registers while
// k runs: 8 × 4 are 32 accumulators beside 4 of W and 8 of x. With addresses
// and unrolled loads ptxas counts 128 registers for sm_90, of which a
// multiprocessor has 65,536: 512 threads, four blocks. For each k that is one
// load of four columns, which lie side by side in their panel, and eight of x,
// the same for all threads of a row: 9 loads for 32 multiply-adds. A block has
// `across` × `down` threads: 16 × 8 share 64 columns of W and 64 rows of x in
// the first-level cache.
//
// A long sum is made in parts of `depth`, as on a processor: every result
// passes through the same number of roundings.

#include "compiler/kernels/schedule/Schedules.h"

using namespace Halide;

namespace transfold::kernels {

// The sums of a thread, in its loop `thread`.
static void scheduleSums(const Contraction &contraction, LoopLevel thread,
                         int columns, int rows) {
  auto schedule = [&](Func stage, LoopLevel level, RVar over) {
    std::vector<VarOrRVar> order{stage.args()[0]};
    stage.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(stage.args()[0], columns)
        .vectorize(stage.args()[0]);
    Stage update = stage.update();
    if (rows) {
      stage.bound_extent(stage.args()[1], rows).unroll(stage.args()[1]);
      order.emplace_back(stage.args()[1]);
    }
    order.emplace_back(over);
    update.reorder(order).vectorize(stage.args()[0]);
    if (rows)
      update.unroll(stage.args()[1]);
  };
  if (contraction.total.defined()) {
    schedule(contraction.total, thread, contraction.parts.x);
    thread = LoopLevel(contraction.total, contraction.parts.x);
  }
  schedule(contraction.sum, thread, contraction.over.x);
}

// A number a thread, along the innermost axis; the others are blocks.
static void scheduleEach(Algorithm &algorithm, int threads) {
  const Contraction &contraction = algorithm.contractions[0];
  Func result = algorithm.result;
  std::vector<Var> axes = result.args();
  axes.resize(algorithm.resultAxes.size());
  Var block("block"), thread("thread");
  if (axes.empty())
    result.split(Var::outermost(), block, thread, 1);
  else
    result.split(axes[0], block, thread, threads, TailStrategy::GuardWithIf);
  axes.resize(std::max<size_t>(axes.size(), 1));
  axes[0] = block;
  std::vector<VarOrRVar> order{thread};
  order.insert(order.end(), axes.begin(), axes.end());
  if (!algorithm.resultAxes.empty())
    result.reorder(order);
  while (axes.size() > 3) {
    Var both("blocks" + std::to_string(axes.size()));
    result.fuse(axes[axes.size() - 2], axes.back(), both);
    axes.pop_back();
    axes.back() = both;
  }
  result.gpu_threads(thread);
  for (const Var &axis : axes)
    result.gpu_blocks(axis);
  LoopLevel level(result, thread);
  for (Func stage : {contraction.total, contraction.sum})
    if (stage.defined()) {
      stage.compute_at(level).store_in(MemoryType::Register);
      level = LoopLevel(stage, contraction.parts.defined() ? contraction.parts.x
                                                           : RVar());
    }
}

void scheduleContractionOnGpu(Algorithm &algorithm, const Schedule &schedule) {
  if (algorithm.contractions.size() != 1 || !algorithm.rowReductions.empty() ||
      !algorithm.columnReductions.empty())
    throw std::runtime_error(
        "a contraction kernel has one product and no other sums");
  const Contraction &contraction = algorithm.contractions[0];
  Func result = algorithm.result;
  const std::vector<Axis> &axes = algorithm.resultAxes;
  bool isRow = axes.size() == 1, isMatrix = axes.size() == 2;
  // A result whose columns are a length has them outermost in memory.
  bool isPlain = contraction.isOfColumns && !axes[0].isLength() &&
                 result.args()[0].name() == loopOf(contraction.column)->name();
  if (!isPlain || !(isRow || (isMatrix && contraction.row)))
    return scheduleEach(algorithm, 64);
  int columns = schedule.get("columns"), across = schedule.get("across");
  // Blocks reach to the end of the last panel, which is padded, and no further;
  // what a thread has of a row is inside or outside as a whole.
  int panel = std::max(contraction.panel, 1);
  int64_t stored = (axes[0].size + panel - 1) / panel * panel;
  while (columns > 1 && axes[0].size % columns)
    columns /= 2;
  while (across > 1 && stored % (columns * across))
    across /= 2;
  Var c = result.args()[0], column("column"), block("block"), thread("thread");
  result.split(c, thread, column, columns)
      .split(thread, block, thread, across, TailStrategy::GuardWithIf)
      .vectorize(column);
  if (axes.size() == 1) {
    result.gpu_blocks(block).gpu_threads(thread);
    scheduleSums(contraction, LoopLevel(result, thread), columns, 0);
    return;
  }
  int rows = schedule.get("rows"), down = schedule.get("down");
  Var n = result.args()[1], row("row"), rowBlock("rowBlock");
  Var rowThread("rowThread");
  result.split(n, rowBlock, rowThread, rows * down, TailStrategy::GuardWithIf)
      .split(rowThread, rowThread, row, rows)
      .reorder(column, row, thread, rowThread, block, rowBlock)
      .unroll(row)
      .gpu_blocks(block, rowBlock)
      .gpu_threads(thread, rowThread);
  scheduleSums(contraction, LoopLevel(result, thread), columns, rows);
}

} // namespace transfold::kernels
