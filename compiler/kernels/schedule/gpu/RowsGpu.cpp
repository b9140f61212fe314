// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   lanes(l, n)  = Σ_b x(b · L + l, n)          partial sums of a row
//   total(n)     = Σ_l lanes(l, n)
//   result(c, n) = f(x(c, n), total(n), …)
//
// Schedule for a GPU. A block is a row, a thread a lane: L = 128 threads
// repeatedly read 128 adjacent values; their partial sums are collected in the
// shared memory of the block, where one thread adds them. The order of
// additions is that of a processor with as many lanes.

#include "compiler/kernels/schedule/Schedules.h"

using namespace Halide;

namespace transfold::kernels {

/// Lanes are threads, and one thread of each row adds them: in the order of the
/// lanes, so that the sum does not depend on the shape of the block.
void scheduleRowStagesOnGpu(Algorithm &algorithm, LoopLevel level,
                            bool hasSeveralRows) {
  auto onThreads = [&](auto stage, const std::vector<Var> &arguments) {
    if (arguments.size() > 1 && hasSeveralRows)
      stage.gpu_threads(arguments[0], arguments[1]);
    else if (!arguments.empty())
      stage.gpu_threads(arguments[0]);
  };
  auto numbers = [&](Func number) {
    number.compute_at(level);
    if (hasSeveralRows && !number.args().empty())
      number.gpu_threads(number.args()[0]);
  };
  for (RowReduction &reduction : algorithm.rowReductions) {
    Func lanes = reduction.lanes;
    lanes.compute_at(level);
    onThreads(lanes, lanes.args());
    // Each lane separately, over all of its blocks.
    std::vector<VarOrRVar> order{reduction.blocks.x};
    for (const Var &argument : lanes.args())
      order.emplace_back(argument);
    Stage update = lanes.update().reorder(order);
    onThreads(update, lanes.args());
    numbers(reduction.total);
    if (hasSeveralRows && !reduction.total.args().empty()) {
      Var row = reduction.total.args()[0];
      reduction.total.update()
          .reorder(reduction.across.x, row)
          .gpu_threads(row);
    }
  }
  for (Func &number : algorithm.rowNumbers)
    numbers(number);
}

// Assigns columns to `threads` threads; returns the loop over blocks for the
// other stages. If no stage needs a whole row in a block, parts of the columns
// are blocks, too.
static LoopLevel scheduleResult(const Algorithm &algorithm, int threads,
                                bool hasWholeRows = true) {
  Func result = algorithm.result;
  std::vector<Var> axes = result.args();
  axes.resize(algorithm.resultAxes.size());
  if (axes.empty()) {
    Var block("block"), thread("thread");
    result.split(Var::outermost(), block, thread, 1)
        .gpu_blocks(block)
        .gpu_threads(thread);
    return {result, block};
  }
  Var outer("outer"), thread("thread");
  result.split(axes[0], outer, thread, threads, TailStrategy::GuardWithIf);
  if (axes.size() == 1) {
    result.gpu_blocks(outer).gpu_threads(thread);
    return {result, outer};
  }
  if (!hasWholeRows && axes.size() == 2) {
    result.reorder(thread, outer, axes[1])
        .gpu_threads(thread)
        .gpu_blocks(outer, axes[1]);
    return {result, outer};
  }
  result.reorder(outer, thread, axes[1]).gpu_threads(thread);
  if (axes.size() == 2)
    result.gpu_blocks(axes[1]);
  else
    result.gpu_blocks(axes[1], axes[2]);
  return {result, axes[1]};
}

/// A block for each row, or for each pair of outer indices.
void scheduleRowsOnGpu(Algorithm &algorithm, const Schedule &schedule) {
  if (!algorithm.contractions.empty() || !algorithm.columnReductions.empty())
    throw std::runtime_error("a kernel over rows has no sum across rows");
  int threads = schedule.get(Parameter::Lanes);
  LoopLevel row = scheduleResult(algorithm, threads);
  scheduleRowStagesOnGpu(algorithm, row, false);
  for (Func &stage : algorithm.rows) {
    Var c = stage.args()[0], outer("outer"), thread("thread");
    stage.compute_at(row)
        .split(c, outer, thread, threads, TailStrategy::RoundUp)
        .reorder(outer, thread)
        .gpu_threads(thread);
  }
}

// Σ_n x(c, n): a thread for each column; then as above.
void scheduleReductionOnGpu(Algorithm &algorithm, const Schedule &schedule) {
  if (!algorithm.contractions.empty())
    throw std::runtime_error("a reduction kernel has no product");
  int threads = schedule.get(Parameter::Lanes);
  const bool hasWholeRows =
      !algorithm.rowReductions.empty() || !algorithm.rows.empty();
  const Var own(hasWholeRows || algorithm.resultAxes.size() != 2 ? "outer"
                                                                 : "thread");
  for (ColumnReduction &reduction : algorithm.columnReductions) {
    if (algorithm.resultAxes.size() > 1) {
      // In a family: computed with the result, one value a thread.
      reduction.value.compute_inline();
      reduction.sum.compute_at(algorithm.result, own)
          .store_in(MemoryType::Register);
      continue;
    }
    Var c = reduction.value.args()[0], block("block"), thread("thread");
    reduction.value.compute_root()
        .split(c, block, thread, threads, TailStrategy::GuardWithIf)
        .gpu_blocks(block)
        .gpu_threads(thread);
    reduction.sum.compute_at(reduction.value, thread)
        .store_in(MemoryType::Register);
  }
  LoopLevel row = scheduleResult(algorithm, threads, hasWholeRows);
  scheduleRowStagesOnGpu(algorithm, row, false);
  for (Func &stage : algorithm.rows)
    stage.compute_at(row);
}

} // namespace transfold::kernels
