// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c, n)    = Σ_k x(k, n) W(c, k)
//   result(c, n) = epilogue(sum(c, n), …)            bias, activation, residual
//
// Schedules for a GPU. Many rows and columns are computed in tiles:
// ContractionTilesGpu.cpp. For one row a thread computes `columns` sums, which
// are adjacent in a panel, and a block `across` times as many. All other
// results are computed with one value a thread.
//
// A long sum is computed in parts of `depth`, as on a processor: every result
// passes through the same number of roundings.

#include "compiler/kernels/schedule/gpu/ContractionTilesGpu.h"
#include "compiler/kernels/schedule/gpu/NormsGpu.h"

using namespace Halide;

namespace transfold::kernels {

// The sums of a thread, inside its loop `thread`.
static void scheduleSums(const Contraction &contraction, LoopLevel thread,
                         int columns) {
  auto schedule = [&](Func stage, LoopLevel level, RVar over) {
    Var column = stage.args()[0];
    stage.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(column, columns)
        .vectorize(column);
    stage.update().reorder(column, over).vectorize(column);
  };
  if (contraction.total.defined()) {
    schedule(contraction.total, thread, contraction.parts.x);
    thread = LoopLevel(contraction.total, contraction.parts.x);
  }
  schedule(contraction.sum, thread, contraction.over.x);
}

// One value a thread, along the innermost axis; the other axes are blocks.
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

// Blocks extend to the end of the last panel, which is padded, but not beyond;
// the columns of a thread are inside or outside as a whole.
static void scheduleRow(Algorithm &algorithm, const Schedule &schedule) {
  const Contraction &contraction = algorithm.contractions[0];
  Func result = algorithm.result;
  const int64_t size = algorithm.resultAxes[0].size;
  // Vectors of four floats are the widest that all devices have.
  int columns = std::min(schedule.get(Parameter::Columns), 4),
      across = schedule.get(Parameter::Across);
  int panel = std::max(contraction.panel, 1);
  int64_t stored = (size + panel - 1) / panel * panel;
  while (columns > 1 && size % columns)
    columns /= 2;
  while (across > 1 && stored % (columns * across))
    across /= 2;
  Var c = result.args()[0], column("column"), block("block"), thread("thread");
  result.split(c, thread, column, columns)
      .split(thread, block, thread, across, TailStrategy::GuardWithIf)
      .vectorize(column)
      .gpu_blocks(block)
      .gpu_threads(thread);
  scheduleSums(contraction, LoopLevel(result, thread), columns);
}

/// Tiles if there are many rows and columns, a row in blocks of columns,
/// otherwise a value for each thread.
void scheduleContractionOnGpu(Algorithm &algorithm, const Schedule &schedule) {
  if (algorithm.contractions.size() != 1 || !algorithm.columnReductions.empty())
    throw std::runtime_error(
        "a contraction kernel has one product and no sums of columns");
  scheduleNormsBefore(algorithm);
  if (scheduleTilesOnGpu(algorithm, schedule))
    return;
  const Contraction &contraction = algorithm.contractions[0];
  const std::vector<Axis> &axes = algorithm.resultAxes;
  if (axes.size() != 1 || !contraction.isOfColumns || axes[0].isLength() ||
      algorithm.result.args()[0].name() != loopOf(contraction.column)->name())
    return scheduleEach(algorithm, 64);
  scheduleRow(algorithm, schedule);
}

} // namespace transfold::kernels
