// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   lanes(l, n)  = Σ_b x(b · L + l, n)          partial sums of a row
//   total(n)     = Σ_l lanes(l, n)
//   result(c, n) = f(x(c, n), total(n), …)
//
// Schedule. A row is finished before the next begins: a few thousand bytes,
// read from memory once and then from the first-level cache. L = 64 partial
// sums are four or more registers, enough to hide the latency of an addition.
// Tasks are `block` rows.

#include "compiler/kernels/Algorithm.h"

using namespace Halide;

namespace transfold::kernels {

int chunkOf(const Axis &axis, int vector) {
  while (!axis.isLength() && vector > 1 && axis.size % vector)
    vector /= 2;
  return vector;
}

static int widthOf(const RDom &domain) {
  return static_cast<int>(*Internal::as_const_int(domain.x.extent()));
}

void scheduleRowStages(Algorithm &algorithm, const Schedule &schedule,
                       LoopLevel level, bool isOneRow) {
  int vector = schedule.get("vector");
  for (RowReduction &reduction : algorithm.rowReductions) {
    int width = widthOf(reduction.across);
    int chunk = std::min(vector, width);
    Var lane = reduction.lanes.args()[0];
    reduction.total.compute_at(level);
    if (isOneRow)
      reduction.lanes.compute_at(level);
    else
      reduction.lanes.compute_at(reduction.total, reduction.total.args()[0]);
    reduction.lanes.store_in(MemoryType::Register)
        .bound_extent(lane, width)
        .vectorize(lane, chunk)
        .unroll(lane)
        .update()
        .reorder(lane, reduction.blocks.x)
        .vectorize(lane, chunk)
        .unroll(lane);
    reduction.total.update().atomic().vectorize(reduction.across.x, width);
  }
  for (Func &number : algorithm.rowNumbers)
    number.compute_at(level);
}

void scheduleRows(Algorithm &algorithm, const Schedule &schedule) {
  if (!algorithm.contractions.empty() || !algorithm.columnReductions.empty())
    throw std::runtime_error("a kernel over rows has no sum across rows");
  for (Func &angles : algorithm.angles)
    angles.compute_root();
  for (Func &sums : algorithm.runningSums)
    sums.compute_root();
  Func result = algorithm.result;
  const std::vector<Axis> &axes = algorithm.resultAxes;
  int vector = schedule.get("vector");
  LoopLevel row = LoopLevel::root();
  if (!axes.empty()) {
    int chunk = chunkOf(axes[0], vector);
    result.vectorize(result.args()[0], chunk, TailStrategy::GuardWithIf);
  }
  if (axes.size() > 1) {
    Var outer = result.args().back(), inner("inner"), task("task");
    result
        .split(outer, task, inner, schedule.get("block"),
               TailStrategy::GuardWithIf)
        .parallel(task);
    row = LoopLevel(result, axes.size() > 2 ? result.args()[1] : inner);
  }
  scheduleRowStages(algorithm, schedule, row, true);
  for (size_t i = 0; i < algorithm.rows.size(); ++i) {
    Func stage = algorithm.rows[i];
    stage.compute_at(row);
    if (!axes.empty())
      stage.vectorize(stage.args()[0], chunkOf(axes[0], vector),
                      TailStrategy::RoundUp);
  }
}

} // namespace transfold::kernels
