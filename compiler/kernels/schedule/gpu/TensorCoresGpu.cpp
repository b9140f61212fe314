// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c, n, p) = Σ_k x(n, k) W(c, k)              k of part p
//   total(c, n)  = Σ_p sum(c, n, p)                 one part after the other
//   result(c, n) = epilogue(total(c, n), …)         bias, activation, residual
//
// Schedules for the tensor cores of a GPU. x and W are words of two bfloat16:
// word k of 16 adjacent ones has the channels k and k + 16 of 32. A warp
// computes fragments of 16 rows and 8 columns, of which each thread holds four
// sums; the instruction mma.m16n8k16 adds the products of 8 words to each.
//
//   thread (quad, eighth) of a warp, 4 by 8, has of 16 rows and 32 columns
//     rows      8 · side + eighth                      side 0, 1
//     columns   8 · quad + 4 · half + lane             half 0, 1; lane 0 … 3
//
// The columns of fragment `lane` are the columns 4 · i + lane of a panel, i <
// 8, so that a thread has eight adjacent columns in four fragments, and reads W
// four adjacent words at a time (build/tiles/FragmentCalls.h).
//
// Many rows: a block of 2 · 2 warps computes 64 columns and 64 rows, each warp
// 32 by 32; with two matrices of one x 32 columns of each and 64 rows, each
// warp 32 by 16. In steps of 16 words the threads load both operands into
// shared memory. Each thread of a warp then reads 8 · 8 bytes of x and 4 · 16
// of W for 16 instructions: the warp 4 KiB for 131,072 multiplications and
// additions, of which a multiprocessor can read 128 bytes and compute 4096 in a
// cycle. Words of a row are 24 apart and rows of W 68: neighbors read all
// banks.
//
// Registers: 32 sums, 32 totals, 16 words of the next step
// (PrefetchNextStep.h), 16 operands of x and 8 of W, addresses: ptxas counts up
// to 144, so that a multiprocessor has three blocks of 128 threads. Tiles of
// 128 columns or rows have more work for each load, but are fewer: measured on
// an H200 with a Llama of 125 M, prompts of 2048 tokens are 215,000 tokens/s,
// and 198,000 with 128 columns; of 512, 168,000 and 156,000.
//
// Few rows: a block computes one panel, and has a warp for each part of the
// sum, at most 16, which reads W from the device's memory in whole lines. The
// sums of all parts are collected in shared memory, 2 KiB a part for 16 rows,
// and added in their order. Instructions, and their order within a part, are
// the same in both schedules: a row has the same bits in both.

#include "compiler/kernels/schedule/Schedules.h"
#include "compiler/kernels/schedule/gpu/FragmentLoops.h"

using namespace Halide;

namespace transfold::kernels {

namespace {
/// Rows and columns of a fragment group: four fragments of 16 by 8.
constexpr int rowsOfFragment = 16, columnsOfPanel = 32;
/// Threads of a warp.
constexpr int quads = 4, eighths = 8;
/// Words of a step.
constexpr int wordsOfStep = 16;
/// Values that are loaded at a time: 16 bytes.
constexpr int lanesOfLoad = 4;

/// The loops of a stage over its tile, and over the warps of a block.
struct Loops {
  Var column, row; // of the tile, named as in the function
  Var lane{fragmentLoops::lane}, half{fragmentLoops::half},
      panel{fragmentLoops::panel}, side{fragmentLoops::side},
      fragment{fragmentLoops::fragment};
  Var quad{"quad"}, eighth{"eighth"}, warp{"warp"};
};

/// The tile of a block: panels and fragments of rows of each warp, and warps.
struct Tile {
  int panels, fragments, across, down;

  int width() const { return panels * across * columnsOfPanel; }
  int height() const { return fragments * down * rowsOfFragment; }
  int warps() const { return across * down; }
};
} // namespace

// Splits the rows of a tile into those of warps, fragments and threads.
static void splitRows(Stage stage, const Tile &tile, const Loops &loops,
                      const Var &warpRow) {
  stage.split(loops.row, loops.fragment, loops.row, rowsOfFragment)
      .split(loops.row, loops.side, loops.eighth, eighths)
      .split(loops.fragment, warpRow, loops.fragment, tile.fragments);
}

// The order of the loops of a tile, from the inside, up to those of threads.
static std::vector<VarOrRVar> orderOf(const Loops &loops,
                                      const std::vector<VarOrRVar> &inner) {
  std::vector<VarOrRVar> order = inner;
  order.insert(order.end(),
               {loops.lane, loops.half, loops.panel, loops.side, loops.fragment,
                loops.quad, loops.eighth, loops.warp});
  return order;
}

// Assigns the values of a tile to threads. Sums are computed in plain loops,
// which FragmentCalls.h replaces; other stages are unrolled.
static void onWarps(Stage stage, const Tile &tile, const Loops &loops,
                    const std::vector<VarOrRVar> &inner,
                    const std::vector<VarOrRVar> &outer, bool isPlain) {
  Var warpColumn("warpColumn"), warpRow("warpRow");
  stage.split(loops.column, loops.panel, loops.column, columnsOfPanel)
      .split(loops.column, loops.quad, loops.column, 2 * lanesOfLoad)
      .split(loops.column, loops.half, loops.lane, lanesOfLoad)
      .split(loops.panel, warpColumn, loops.panel, tile.panels);
  splitRows(stage, tile, loops, warpRow);
  stage.fuse(warpColumn, warpRow, loops.warp);
  std::vector<VarOrRVar> order = orderOf(loops, inner);
  order.insert(order.end(), outer.begin(), outer.end());
  stage.reorder(order).gpu_threads(loops.quad, loops.eighth, loops.warp);
  if (isPlain)
    return;
  stage.vectorize(loops.lane)
      .unroll(loops.half)
      .unroll(loops.panel)
      .unroll(loops.side)
      .unroll(loops.fragment);
}

// The loops of the result over blocks and threads. Returns the innermost loop
// over blocks.
static LoopLevel scheduleBlocks(Func result, const Tile &tile,
                                const Loops &loops, int64_t columns) {
  Var block("block"), rowBlock("rowBlock"), quarter("quarter"),
      warpColumn("warpColumn"), warpRow("warpRow");
  if (columns % lanesOfLoad == 0)
    // A vector is inside or outside as a whole.
    result.split(loops.column, quarter, loops.lane, lanesOfLoad)
        .split(quarter, block, quarter, tile.width() / lanesOfLoad,
               TailStrategy::GuardWithIf);
  else
    result
        .split(loops.column, block, quarter, tile.width(),
               TailStrategy::GuardWithIf)
        .split(quarter, quarter, loops.lane, lanesOfLoad);
  result.split(quarter, loops.panel, quarter, columnsOfPanel / lanesOfLoad)
      .split(quarter, loops.quad, loops.half, 2)
      .split(loops.panel, warpColumn, loops.panel, tile.panels)
      .split(loops.row, rowBlock, loops.row, tile.height(),
             TailStrategy::GuardWithIf);
  splitRows(result, tile, loops, warpRow);
  result.fuse(warpColumn, warpRow, loops.warp);
  std::vector<VarOrRVar> order = orderOf(loops, {});
  order.insert(order.end(), {block, rowBlock});
  result.reorder(order)
      .unroll(loops.half)
      .unroll(loops.panel)
      .unroll(loops.side)
      .unroll(loops.fragment)
      .gpu_threads(loops.quad, loops.eighth, loops.warp)
      .gpu_blocks(block, rowBlock);
  if (columns % lanesOfLoad == 0)
    result.vectorize(loops.lane);
  else
    result.unroll(loops.lane);
  return {result, block};
}

// Loads an operand of a step into shared memory: vectors along `vector`, which
// `other` follows, distributed to the threads of a block.
static void loadTogether(Func operand, const Var &vector, const Var &other,
                         int vectors, const Tile &tile, const Loops &loops,
                         const LoopLevel &step) {
  Var several("several"), all("all"), round("round"), each("each"),
      lane("lane");
  const int threads = quads * eighths * tile.warps();
  operand.compute_at(step)
      .store_in(MemoryType::GPUShared)
      .split(vector, several, lane, lanesOfLoad)
      .fuse(several, other, all)
      .split(all, round, each, threads,
             vectors % threads ? TailStrategy::GuardWithIf
                               : TailStrategy::RoundUp)
      .split(each, each, loops.quad, quads)
      .split(each, loops.warp, loops.eighth, eighths)
      .reorder(lane, round, loops.quad, loops.eighth, loops.warp)
      .vectorize(lane)
      .unroll(round)
      .gpu_threads(loops.quad, loops.eighth, loops.warp);
}

// The sums of a part in registers, in steps of words in shared memory.
static void scheduleSteps(Contraction &contraction, const Tile &tile,
                          const Loops &loops, const LoopLevel &outer) {
  contraction.sum.compute_at(outer)
      .store_in(MemoryType::Register)
      .bound_extent(loops.column, tile.width())
      .bound_extent(loops.row, tile.height());
  onWarps(contraction.sum, tile, loops, {}, {}, /*isPlain=*/false);
  RVar step("step"), word(fragmentLoops::word);
  Stage update = contraction.sum.update();
  update.split(contraction.over.x, step, word, wordsOfStep);
  onWarps(update, tile, loops, {word}, {step}, /*isPlain=*/true);
  LoopLevel inner(contraction.sum, step);
  Func rows = contraction.device.tileOfRows,
       columns = contraction.device.tileOfColumns;
  const Var row = rows.args()[0], wordOfRow = rows.args()[1],
            column = columns.args()[0], wordOfColumn = columns.args()[1];
  rows.bound_extent(row, tile.height())
      .bound_extent(wordOfRow, wordsOfStep)
      .reorder_storage(wordOfRow, row)
      .align_storage(wordOfRow, wordsOfStep + 8);
  loadTogether(rows, wordOfRow, row, tile.height() * wordsOfStep / lanesOfLoad,
               tile, loops, inner);
  columns.bound_extent(column, tile.width())
      .bound_extent(wordOfColumn, wordsOfStep)
      .align_storage(column, tile.width() + lanesOfLoad);
  loadTogether(columns, column, wordOfColumn,
               tile.width() * wordsOfStep / lanesOfLoad, tile, loops, inner);
}

// Many rows: blocks, totals of parts in registers, sums in registers, steps.
static void scheduleManyRows(Algorithm &algorithm, const Loops &loops,
                             const Schedule &schedule) {
  Contraction &contraction = algorithm.contractions[0];
  const int64_t columns = algorithm.resultAxes[0].size;
  Tile tile{schedule.get(Parameter::Columns) / columnsOfPanel,
            schedule.get(Parameter::Rows) / rowsOfFragment,
            schedule.get(Parameter::Across), schedule.get(Parameter::Down)};
  const int64_t stored =
      (columns + columnsOfPanel - 1) / columnsOfPanel * columnsOfPanel;
  while (tile.across > 1 && stored % tile.width())
    tile.across /= 2;
  LoopLevel outer = scheduleBlocks(algorithm.result, tile, loops, columns);
  if (contraction.total.defined()) {
    contraction.total.compute_at(outer)
        .store_in(MemoryType::Register)
        .bound_extent(loops.column, tile.width())
        .bound_extent(loops.row, tile.height());
    onWarps(contraction.total, tile, loops, {}, {}, /*isPlain=*/false);
    onWarps(contraction.total.update(), tile, loops, {}, {contraction.parts.x},
            /*isPlain=*/false);
    outer = LoopLevel(contraction.total, contraction.parts.x);
  }
  scheduleSteps(contraction, tile, loops, outer);
}

// The loops of a result of few rows: a block for each panel, and threads that
// have four columns of a row each: the halves of the columns and the sides of
// the rows are warps. Returns the innermost loop over blocks.
static LoopLevel scheduleResultOfPanel(Func result, const Loops &loops,
                                       int rows, int64_t columns) {
  Var block("block"), rowBlock("rowBlock");
  const bool isWhole = columns % lanesOfLoad == 0;
  if (isWhole)
    // A vector is inside or outside as a whole.
    result.split(loops.column, loops.half, loops.lane, lanesOfLoad)
        .split(loops.half, block, loops.half, columnsOfPanel / lanesOfLoad,
               TailStrategy::GuardWithIf);
  else
    result
        .split(loops.column, block, loops.half, columnsOfPanel,
               TailStrategy::GuardWithIf)
        .split(loops.half, loops.half, loops.lane, lanesOfLoad);
  result.split(loops.half, loops.quad, loops.half, 2)
      .split(loops.row, rowBlock, loops.row, rows, TailStrategy::GuardWithIf)
      .split(loops.row, loops.side, loops.eighth, eighths)
      .fuse(loops.half, loops.side, loops.warp)
      .reorder(loops.lane, loops.quad, loops.eighth, loops.warp, block,
               rowBlock)
      .gpu_threads(loops.quad, loops.eighth, loops.warp)
      .gpu_blocks(block, rowBlock);
  if (isWhole)
    result.vectorize(loops.lane);
  else
    result.unroll(loops.lane);
  return {result, block};
}

// Assigns the values of a panel to threads, and parts of the sum to warps; in
// plain loops if it is a sum, which FragmentCalls.h replaces.
static void onParts(Stage stage, const Loops &loops, const Var &part,
                    const std::vector<VarOrRVar> &inner,
                    const std::vector<VarOrRVar> &outer, bool isPlain) {
  stage.split(loops.column, loops.quad, loops.column, 2 * lanesOfLoad)
      .split(loops.column, loops.half, loops.lane, lanesOfLoad)
      .split(loops.row, loops.side, loops.eighth, eighths);
  std::vector<VarOrRVar> order = inner;
  order.insert(order.end(), {loops.lane, loops.half, loops.side});
  order.insert(order.end(), outer.begin(), outer.end());
  order.insert(order.end(), {loops.quad, loops.eighth, part});
  stage.reorder(order).gpu_threads(loops.quad, loops.eighth, part);
  if (!isPlain)
    stage.vectorize(loops.lane).unroll(loops.half).unroll(loops.side);
}

// Few rows: a block for each panel, a warp for each part, whose sums are in
// shared memory when a thread adds them.
static void scheduleFewRows(Algorithm &algorithm, const Loops &loops,
                            const Schedule &schedule) {
  Contraction &contraction = algorithm.contractions[0];
  if (!contraction.total.defined())
    throw std::runtime_error("few rows on tensor cores are summed in parts");
  const int rows = schedule.get(Parameter::Rows),
            parts = schedule.get(Parameter::Parts);
  const LoopLevel block = scheduleResultOfPanel(algorithm.result, loops, rows,
                                                algorithm.resultAxes[0].size);
  const RVar each = contraction.parts.x;
  contraction.total.compute_at(algorithm.result, loops.quad)
      .store_in(MemoryType::Register)
      .bound_extent(loops.column, lanesOfLoad)
      .vectorize(loops.column);
  contraction.total.update()
      .reorder(loops.column, each)
      .vectorize(loops.column)
      .unroll(each);

  Func shared = Func(contraction.sum).in(contraction.total);
  const Var part = shared.args().back();
  for (Func function : {shared, contraction.sum})
    function.compute_at(block)
        .bound_extent(loops.column, columnsOfPanel)
        .bound_extent(loops.row, rows)
        .bound_extent(part, parts);
  shared.store_in(MemoryType::GPUShared);
  contraction.sum.store_in(MemoryType::Register);
  onParts(shared, loops, part, {}, {}, /*isPlain=*/false);
  onParts(contraction.sum, loops, part, {}, {}, /*isPlain=*/false);
  RVar step("step"), word(fragmentLoops::word);
  Stage update = contraction.sum.update();
  update.split(contraction.over.x, step, word, wordsOfStep);
  onParts(update, loops, part, {word}, {step}, /*isPlain=*/true);
}

/// Blocks of warps for many rows, or a panel for few.
void scheduleTensorCores(Algorithm &algorithm, const Schedule &schedule) {
  if (algorithm.contractions.size() != 1 ||
      !algorithm.contractions[0].isOf(PairTerms::Fragments) ||
      algorithm.resultAxes.size() != 2 || algorithm.resultAxes[0].isLength())
    throw std::runtime_error("tensor cores multiply rows with one matrix in "
                             "pairs");
  Contraction &contraction = algorithm.contractions[0];
  const Loops loops{*loopOf(contraction.column), *loopOf(contraction.row)};
  algorithm.tileSums = {Algorithm::TileSums::Fragments, contraction.sum.name(),
                        contraction.device.tileOfRows.name(),
                        contraction.device.tileOfColumns.name()};
  if (schedule.has(Parameter::Parts))
    scheduleFewRows(algorithm, loops, schedule);
  else
    scheduleManyRows(algorithm, loops, schedule);
}

} // namespace transfold::kernels
