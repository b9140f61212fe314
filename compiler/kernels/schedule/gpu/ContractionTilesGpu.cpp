// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c, n, p)    = Σ_k x(n, p · depth + k) W(c, p · depth + k)
//   total(c, n)     = Σ_p sum(c, n, p)
//   result(c, n)    = epilogue(total(c, n), …)       bias, activation, residual
//
// Schedule for many rows on a GPU. A block computes a tile of 128 columns and
// 64 rows with 16 × 8 threads, each of which keeps 8 × 8 sums in registers. In
// steps of 16 k the threads load x and W of the tile into shared memory,
// together and four values at a time:
//
//   columns(c, k) = W(c, k)    16 · 128 values
//   rows(n, k)    = x(n, k)    16 · 68, which is 64 and 4 unused ones: the four
//                              values of a load are along k, and their stores
//                              conflict two at a time in a bank, not four
//
// For each k a thread then loads four vectors of four, two of rows and two of
// columns, for 64 multiply-adds: 0.06 loads from shared memory for each, and
// from the device's memory (64 + 128) · 16 / 4 / (64 · 128 · 16) = 0.006. A
// thread's columns are two times four that are 64 apart: 16 neighbors read 64
// adjacent columns, each bank once.
//
// Registers: 64 sums, 16 operands, addresses, and 24 values of the next step,
// which are loaded while this one is computed (PrefetchNextStep.h): (128 + 64)
// · 16 values for 128 threads, in their storage format. If the factors of a
// norm or the scales of blocks make them more than 48, none is loaded ahead.
// ptxas counts 91 to 165 for sm_80 and sm_90, none spilled, of which a
// multiprocessor has 65,536: three to five blocks of 128 threads. Totals of a
// sum in parts change once in `depth` k. When they were in registers, there
// were 186 of these, two blocks, so they are in shared memory: 12.3 KiB
// become 44.3, of 48 that a block may have on every device.
//
// Rows past the end are computed from the last one and not stored. W is padded
// up to its last panel, and tiles are narrow enough to end there.
//
// Two products of one x (ProductsTogether.cpp) have tiles of 64 columns each:
// as many sums, loads, registers and values in shared memory.

#include "compiler/kernels/schedule/gpu/ContractionTilesGpu.h"

#include "compiler/kernels/schedule/gpu/BlockOfThreads.h"

#include <numeric>

using namespace Halide;

namespace transfold::kernels {

namespace {
/// Number of values of a vector.
constexpr int lanes = lanesOfLoad;

// A tile of sums, and the threads of its block.
struct Tile : BlockOfThreads {
  /// Columns and rows of a thread.
  int columns, rows;
  /// Number of k in a step.
  int step;

  int width() const { return columns * across; }
  int height() const { return rows * down; }
};

/// The loops of a tile.
struct Loops {
  Var column, row;         // of the tile, named as in the function
  std::vector<Var> others; // of families: one iteration each
  Var lane{"lane"}, group{"group"}, rowOfThread{"row"};
};
} // namespace

// The tile of a schedule, no wider than the columns require; nullopt if the
// product does not have many rows and columns. Fewer than two vectors of
// columns are excluded: the loops and conditions that Halide simplifies away
// would include those that distinguish registers.
static std::optional<Tile> tileOf(const Algorithm &algorithm,
                                  const Schedule &schedule) {
  const Contraction &contraction = algorithm.contractions[0];
  const std::vector<Axis> &axes = algorithm.resultAxes;
  if (!contraction.device.tileOfRows.defined() || axes.size() < 2 ||
      contraction.value.dimensions() != static_cast<int>(axes.size()) ||
      axes[0].isLength() || axes[0].size < 2 * lanes ||
      contraction.over.dimensions() != 1 ||
      algorithm.result.args()[0].name() != loopOf(contraction.column)->name())
    return std::nullopt;
  auto over = Internal::as_const_int(contraction.over.x.extent());
  if (!over)
    return std::nullopt;
  Tile tile{{schedule.get(Parameter::Across), schedule.get(Parameter::Down)},
            schedule.get(Parameter::Columns),
            schedule.get(Parameter::Rows),
            std::gcd(schedule.get(Parameter::Step), static_cast<int>(*over))};
  int64_t panel = std::max(contraction.panel, 1);
  int64_t stored = (axes[0].size + panel - 1) / panel * panel;
  while (tile.columns > lanes && stored % tile.width())
    tile.columns /= 2;
  while (tile.across > lanes && stored % tile.width())
    tile.across /= 2;
  if (stored % tile.width() || tile.columns % lanes || tile.step < lanes)
    return std::nullopt;
  return tile;
}

// Assigns sums to threads; `outer` are the loops around the threads: a step, or
// a part.
static void onThreads(Stage stage, const Tile &tile, const Loops &loops,
                      const std::vector<VarOrRVar> &inner,
                      const std::vector<VarOrRVar> &outer) {
  stage.split(loops.column, loops.group, loops.column, lanes * tile.across)
      .split(loops.column, tile.thread, loops.lane, lanes)
      .split(loops.row, tile.rowThread, loops.rowOfThread, tile.rows);
  std::vector<VarOrRVar> order{loops.lane, loops.group, loops.rowOfThread};
  order.insert(order.end(), inner.begin(), inner.end());
  order.insert(order.end(), {tile.thread, tile.rowThread});
  order.insert(order.end(), loops.others.begin(), loops.others.end());
  order.insert(order.end(), outer.begin(), outer.end());
  stage.reorder(order)
      .vectorize(loops.lane)
      .unroll(loops.group)
      .unroll(loops.rowOfThread)
      .gpu_threads(tile.thread, tile.rowThread);
}

// The loops of the result: blocks of tiles, and around them the other axes.
// Returns the innermost loop over blocks.
static LoopLevel scheduleBlocks(Func result, const Tile &tile,
                                const Loops &loops, int64_t columns) {
  Var block("block"), rowBlock("rowBlock"), quad("quad");
  if (columns % lanes == 0)
    // A vector is inside or outside as a whole.
    result.split(loops.column, quad, loops.lane, lanes)
        .split(quad, block, quad, tile.width() / lanes,
               TailStrategy::GuardWithIf)
        .split(quad, loops.group, tile.thread, tile.across)
        .vectorize(loops.lane);
  else
    result
        .split(loops.column, block, quad, tile.width(),
               TailStrategy::GuardWithIf)
        .split(quad, loops.group, quad, lanes * tile.across)
        .split(quad, tile.thread, loops.lane, lanes)
        .unroll(loops.lane);
  result
      .split(loops.row, rowBlock, loops.row, tile.height(),
             TailStrategy::GuardWithIf)
      .split(loops.row, tile.rowThread, loops.rowOfThread, tile.rows);
  std::vector<VarOrRVar> order{loops.lane,  loops.group,    loops.rowOfThread,
                               tile.thread, tile.rowThread, block,
                               rowBlock};
  order.insert(order.end(), loops.others.begin(), loops.others.end());
  result.reorder(order)
      .unroll(loops.group)
      .unroll(loops.rowOfThread)
      .gpu_threads(tile.thread, tile.rowThread)
      .gpu_blocks(block, rowBlock);
  // A grid has three dimensions.
  std::vector<Var> others = loops.others;
  while (others.size() > 1) {
    Var both("blocks" + std::to_string(others.size()));
    result.fuse(others[others.size() - 2], others.back(), both);
    others.pop_back();
    others.back() = both;
  }
  if (!others.empty())
    result.gpu_blocks(others[0]);
  return {result, block};
}

/// From the outside in: blocks, totals of parts in shared memory, sums in
/// registers, steps of loads.
bool scheduleTilesOnGpu(Algorithm &algorithm, const Schedule &schedule) {
  Contraction &contraction = algorithm.contractions[0];
  std::optional<Tile> tile = tileOf(algorithm, schedule);
  if (!tile)
    return false;
  Loops loops{*loopOf(contraction.column), *loopOf(contraction.row), {}};
  for (const Var &axis : contraction.value.args())
    if (axis.name() != loops.column.name() && axis.name() != loops.row.name())
      loops.others.push_back(axis);
  LoopLevel outer = scheduleBlocks(algorithm.result, *tile, loops,
                                   algorithm.resultAxes[0].size);
  auto inTile = [&](Func function, LoopLevel level, MemoryType memory) {
    function.compute_at(level)
        .store_in(memory)
        .bound_extent(loops.column, tile->width())
        .bound_extent(loops.row, tile->height());
    onThreads(function, *tile, loops, {}, {});
  };
  if (contraction.total.defined()) {
    RVar part = contraction.parts.x;
    inTile(contraction.total, outer, MemoryType::GPUShared);
    onThreads(contraction.total.update(), *tile, loops, {}, {part});
    outer = LoopLevel(contraction.total, part);
  }
  inTile(contraction.sum, outer, MemoryType::Register);
  RVar step("step"), k("k");
  Stage update = contraction.sum.update();
  update.split(contraction.over.x, step, k, tile->step);
  onThreads(update, *tile, loops, {k}, {step});
  LoopLevel inner(contraction.sum, step);
  Func rows = contraction.device.tileOfRows,
       columns = contraction.device.tileOfColumns;
  // Consecutive loads of neighboring threads are of adjacent addresses.
  auto together = [&](Func operand, int places, Var vector, Var other) {
    operand.bound_extent(operand.args()[0], places)
        .bound_extent(operand.args()[1], tile->step);
    tile->loadTogether(operand, vector, other, tile->step, places * tile->step,
                       inner);
  };
  rows.align_storage(rows.args()[0], tile->height() + lanes);
  together(rows, tile->height(), rows.args()[1], rows.args()[0]);
  together(columns, tile->width(), columns.args()[0], columns.args()[1]);
  return true;
}

} // namespace transfold::kernels
