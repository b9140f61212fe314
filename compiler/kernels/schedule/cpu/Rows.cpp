// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   lanes(l, n)  = Σ_b x(b · L + l, n)          partial sums of a row
//   half(l, n)   = lanes(l, n) + lanes(l + L / 2, n), and so on
//   total(n)     = half(0, n) of the last
//   result(c, n) = f(x(c, n), total(n), …)
//
// Schedule. A row is finished before the next begins: a few thousand bytes,
// read from memory once and then from the first-level cache. L = 64 partial
// sums are four or more registers, enough to hide the latency of an addition.
// Tasks are `block` rows.

#include "compiler/kernels/schedule/Schedules.h"

using namespace Halide;

namespace transfold::kernels {

/// A vector that extends past the end of a row would need a mask.
int chunkOf(const Axis &axis, int vector) {
  while (!axis.isLength() && vector > 1 && axis.size % vector)
    vector /= 2;
  return vector;
}

/// Each stage has half the lanes of the one before: whole registers are added
/// as long as there are several, then parts of one.
void scheduleHalves(const std::vector<Func> &halves, int vector,
                    LoopLevel level) {
  int width = 1 << halves.size();
  for (Func half : halves) {
    width /= 2;
    Var lane = half.args()[0];
    half.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(lane, width);
    if (width > 1)
      half.vectorize(lane, std::min(vector, width)).unroll(lane);
  }
}

/// If the consumer needs many rows, each row is reduced inside the loop over
/// their totals, so that its lanes stay in registers.
void scheduleRowReduction(RowReduction &reduction, int vector, LoopLevel level,
                          bool isOneRow) {
  int width = 1 << reduction.halves.size();
  int chunk = std::min(vector, width);
  Var lane = reduction.lanes.args()[0];
  reduction.total.compute_at(level);
  LoopLevel inner = level;
  if (reduction.parts.defined())
    inner = LoopLevel(reduction.total, reduction.parts.x);
  else if (!isOneRow)
    inner = LoopLevel(reduction.total, reduction.total.args()[0]);
  scheduleHalves(reduction.halves, vector, inner);
  std::vector<VarOrRVar> order{lane};
  for (const Internal::ReductionVariable &variable :
       reduction.blocks.domain().domain())
    order.emplace_back(RVar(variable.var));
  reduction.lanes.compute_at(inner)
      .store_in(MemoryType::Register)
      .bound_extent(lane, width)
      .vectorize(lane, chunk)
      .unroll(lane)
      .update()
      .reorder(order)
      .vectorize(lane, chunk)
      .unroll(lane);
}

/// Reductions before the numbers that are computed from them.
void scheduleRowStages(Algorithm &algorithm, const Schedule &schedule,
                       LoopLevel level, bool isOneRow) {
  for (RowReduction &reduction : algorithm.rowReductions)
    scheduleRowReduction(reduction, schedule.get(Parameter::Vector), level,
                         isOneRow);
  for (Func &number : algorithm.rowNumbers)
    number.compute_at(level);
}

/// Rows are independent: all outer axes are fused into one loop of tasks.
void scheduleRows(Algorithm &algorithm, const Schedule &schedule) {
  if (!algorithm.contractions.empty() || !algorithm.columnReductions.empty())
    throw std::runtime_error("a kernel over rows has no sum across rows");
  for (Func &sums : algorithm.runningSums)
    sums.compute_root();
  Func result = algorithm.result;
  const std::vector<Axis> &axes = algorithm.resultAxes;
  int vector = schedule.get(Parameter::Vector);
  LoopLevel row = LoopLevel::root();
  if (!axes.empty()) {
    int chunk = chunkOf(axes[0], vector);
    result.vectorize(result.args()[0], chunk, TailStrategy::GuardWithIf);
  }
  if (axes.size() > 1) {
    // The rows of all outer axes, in sequence.
    Var rows = result.args()[1], inner("inner"), task("task");
    for (size_t axis = 2; axis < axes.size(); ++axis) {
      Var both("rows" + std::to_string(axis));
      result.fuse(rows, result.args()[axis], both);
      rows = both;
    }
    result
        .split(rows, task, inner, schedule.get(Parameter::Block),
               TailStrategy::GuardWithIf)
        .parallel(task);
    row = LoopLevel(result, inner);
  }
  // The stages are needed for one row at a time if the result has rows, or if
  // there is only one row; a result with a single value for each row needs them
  // for all rows.
  bool isOneRow = axes.size() > 1;
  for (const RowReduction &reduction : algorithm.rowReductions)
    isOneRow |= reduction.total.dimensions() == 0;
  scheduleRowStages(algorithm, schedule, row, isOneRow);
  for (size_t i = 0; i < algorithm.rows.size(); ++i) {
    Func stage = algorithm.rows[i];
    stage.compute_at(row);
    if (!axes.empty())
      stage.vectorize(stage.args()[0], chunkOf(axes[0], vector),
                      TailStrategy::RoundUp);
  }
}

} // namespace transfold::kernels
