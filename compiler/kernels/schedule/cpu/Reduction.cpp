// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c)    = Σ_n x(c, n)
//   result(c) = f(sum(c), …)                 mean, and operations on one row
//
// Schedule. Tasks are `columns` columns: their sums stay in registers (64 are
// four of 16 values) while the rows are streamed, whole cache lines of each.

#include "compiler/kernels/schedule/Schedules.h"

using namespace Halide;

namespace transfold::kernels {

// Sums that are computed at `level`, in whole vectors; values past the last
// column are not read.
static void scheduleGuardedSum(ColumnReduction &reduction, LoopLevel level,
                               int vector) {
  Var c = reduction.sum.args()[0];
  reduction.sum.compute_at(level)
      .vectorize(c, vector, TailStrategy::RoundUp)
      .update()
      .reorder(c, reduction.over.x)
      .vectorize(c, vector, TailStrategy::GuardWithIf);
}

// In a family, the members are summed for one row after the other. Tasks are
// `block` rows; vectors have a width that divides the axis.
static void scheduleFamilies(Algorithm &algorithm, const Schedule &schedule) {
  Func result = algorithm.result;
  const std::vector<Axis> &axes = algorithm.resultAxes;
  int chunk = chunkOf(axes[0], schedule.get(Parameter::Vector));
  Var task("task"), inner("inner"), outer = result.args()[axes.size() - 1];
  result.vectorize(result.args()[0], chunk, TailStrategy::GuardWithIf)
      .split(outer, task, inner, schedule.get(Parameter::Rows),
             TailStrategy::GuardWithIf)
      .parallel(task);
  LoopLevel row(result, axes.size() > 2 ? result.args()[1] : inner);
  for (ColumnReduction &reduction : algorithm.columnReductions) {
    Var c = reduction.value.args()[0];
    reduction.value.compute_at(row).vectorize(c, chunk,
                                              TailStrategy::GuardWithIf);
    scheduleGuardedSum(reduction, row, chunk);
  }
}

// Columns that are positions, as in max(x'): a request may have fewer of them
// than a task takes, so that every vector checks their number.
static void scheduleOverLength(ColumnReduction &reduction, int vector,
                               int columns) {
  Var c = reduction.value.args()[0], task("task"), column("column");
  reduction.value.compute_root()
      .split(c, task, column, columns, TailStrategy::GuardWithIf)
      .vectorize(column, vector, TailStrategy::GuardWithIf)
      .parallel(task);
  scheduleGuardedSum(reduction, LoopLevel(reduction.value, task), vector);
}

/// Sums of columns are computed in tasks; the result that is computed from them
/// has one row, without tasks of its own.
void scheduleReduction(Algorithm &algorithm, const Schedule &schedule) {
  if (!algorithm.contractions.empty())
    throw std::runtime_error("a reduction kernel has no product");
  int vector = schedule.get(Parameter::Vector),
      columns = schedule.get(Parameter::Columns);
  bool ofFamilies =
      algorithm.resultAxes.size() > 1 && !algorithm.columnReductions.empty();
  if (ofFamilies)
    return scheduleFamilies(algorithm, schedule);
  for (ColumnReduction &reduction : algorithm.columnReductions) {
    if (algorithm.resultAxes[0].isLength()) {
      scheduleOverLength(reduction, vector, columns);
      continue;
    }
    Var c = reduction.value.args()[0], task("task"), column("column");
    Var sumColumn = reduction.sum.args()[0];
    // The last task starts early enough to be a whole one.
    while (columns > algorithm.resultAxes[0].size)
      columns /= 2;
    vector = std::min(vector, columns);
    reduction.value.compute_root()
        .split(c, task, column, columns, TailStrategy::ShiftInwards)
        .vectorize(column, vector)
        .unroll(column)
        .parallel(task);
    reduction.sum.compute_at(reduction.value, task)
        .store_in(MemoryType::Register)
        .bound_extent(sumColumn, columns)
        .vectorize(sumColumn, vector)
        .unroll(sumColumn)
        .update()
        .reorder(sumColumn, reduction.over.x)
        .vectorize(sumColumn, vector)
        .unroll(sumColumn);
  }
  bool isOneRow = true;
  if (!algorithm.resultAxes.empty())
    algorithm.result.vectorize(algorithm.result.args()[0], vector,
                               TailStrategy::GuardWithIf);
  for (RowReduction &reduction : algorithm.rowReductions)
    isOneRow = isOneRow && reduction.total.dimensions() == 0;
  scheduleRowStages(algorithm, schedule, LoopLevel::root(), isOneRow);
  for (Func &row : algorithm.rows)
    row.compute_root();
}

} // namespace transfold::kernels
