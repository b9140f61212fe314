// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c, n)    = Σ_k x(k, n) W(c, k)
//   result(c, n) = epilogue(sum(c, n), …)            bias, activation, residual
//
// Schedule. A tile of `rows` × `columns` sums stays in registers while k runs:
// for each k, columns / vector loads of W, and for each row one number of x
// that the multiply-add broadcasts from memory. With 32 registers of 16
// numbers:
//
//   8 × 32: 16 accumulators + 2 of W, 10 loads for 16 multiply-adds: 5 cycles
//           of loads beside 8 (or 16) of arithmetic. 16 accumulators also cover
//           the latency, 4 cycles × 2 units.
//
// With 16 registers of 8 numbers, 6 × 16: 12 accumulators + 2 of W + 1. W lies
// in panels of 32, whatever the machine, so it is one stream, or two in turn.
// x is read where it lies: packing it cost more than it gained.
//
// Where x is rounded to bfloat16 and the processor has an instruction for two
// products of such numbers, a load of W is a vector of pairs and x a broadcast
// pair: twice the products for as many instructions. x is rounded before, once.
//
// A long sum is made in parts of `depth`, which are added up at the end of
// each: every result then passes through depth + k / depth roundings, not k.
//
// A task is one panel (columns · k numbers, in the second-level cache) with a
// `block` of rows, which stay there for the next panels. Rows behind the end
// repeat the last one and are not stored.

#include "compiler/kernels/Algorithm.h"

using namespace Halide;

namespace transfold::kernels {

// All sums of a tile in registers, in loop `tile`.
static void scheduleTile(const Contraction &contraction, LoopLevel tile,
                         int columns, int rows, int vector, int unroll) {
  auto inRegisters = [&](Func stage, Stage part) {
    part.vectorize(stage.args()[0], vector).unroll(stage.args()[0]);
    if (rows)
      part.unroll(stage.args()[1]);
  };
  auto schedule = [&](Func stage, LoopLevel level,
                      const std::vector<RVar> &over,
                      const std::vector<RVar> &within = {}) {
    stage.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(stage.args()[0], columns);
    std::vector<VarOrRVar> order(within.begin(), within.end());
    order.emplace_back(stage.args()[0]);
    if (rows) {
      stage.bound_extent(stage.args()[1], rows);
      order.emplace_back(stage.args()[1]);
    }
    order.insert(order.end(), over.begin(), over.end());
    inRegisters(stage, stage);
    Stage update = stage.update().reorder(order);
    for (const RVar &inner : within)
      update.atomic().vectorize(inner);
    inRegisters(stage, update);
  };
  Func sum = contraction.sum, total = contraction.total;
  if (total.defined()) {
    schedule(total, tile, {contraction.parts.x});
    tile = LoopLevel(total, contraction.parts.x);
  }
  const RDom &over = contraction.over;
  if (contraction.isDot) {
    // Within a vector of sums, the two products of each.
    schedule(sum, tile, {over.y, over.z}, {over.x});
  } else if (contraction.isPaired) {
    // Both halves of what one load brings.
    schedule(sum, tile, {over.x, over.y, over.z});
    sum.update().unroll(over.x);
  } else {
    schedule(sum, tile, {over.x});
  }
  sum.update().unroll(contraction.isPaired ? over.y : over.x, unroll);
}

// Rows that are rounded first: each is read once for every panel.
static void scheduleRounded(const Contraction &contraction, int vector,
                            int rows) {
  Func rounded = contraction.rounded;
  if (!rounded.defined())
    return;
  std::vector<Var> variables = rounded.args();
  Var channel = variables[contraction.isDot ? 1 : 0];
  rounded.compute_root().vectorize(channel, vector, TailStrategy::RoundUp);
  if (contraction.isDot)
    rounded.reorder(variables[0], channel).unroll(variables[0]);
  if (rows > 1)
    rounded.parallel(variables.back(), rows, TailStrategy::RoundUp);
}

void scheduleContraction(Algorithm &algorithm, const Schedule &schedule) {
  if (algorithm.contractions.size() != 1)
    throw std::runtime_error("a contraction kernel has one product");
  if (!algorithm.rowReductions.empty() || !algorithm.columnReductions.empty())
    throw std::runtime_error("a contraction kernel has no other sums");
  const Contraction &contraction = algorithm.contractions[0];
  Func result = algorithm.result;
  const std::vector<Axis> &axes = algorithm.resultAxes;
  if (axes.empty() || axes.size() > 2)
    throw std::runtime_error("a contraction kernel makes a matrix or a row");
  int columns = schedule.get("columns"), vector = schedule.get("vector");
  int unroll = schedule.get("unroll");
  scheduleRounded(contraction, vector,
                  axes.size() == 1 ? 1 : schedule.get("rows"));
  // Tiles reach to the end of the last panel, which is padded, and no further.
  int panel = std::max(contraction.panel, 1);
  int64_t stored = (axes[0].size + panel - 1) / panel * panel;
  if (stored % columns)
    throw std::runtime_error(
        "its tiles of " + std::to_string(columns) + " columns do not fit the " +
        std::to_string(stored) + " columns that are stored");
  Var c = result.args()[0], panels("panels"), column("column"), task("task");

  if (axes.size() == 1) {
    // One row: enough panels at a time to have several sums under way.
    result.split(c, panels, column, columns, TailStrategy::GuardWithIf)
        .vectorize(column, vector)
        .unroll(column)
        .parallel(panels);
    scheduleTile(contraction, LoopLevel(result, panels), columns, 0, vector,
                 unroll);
    return;
  }

  int rows = schedule.get("rows"), block = schedule.get("block");
  Var n = result.args()[1], tile("tile"), row("row"), blocks("blocks");
  result.split(c, panels, column, columns, TailStrategy::GuardWithIf)
      .split(n, tile, row, rows, TailStrategy::GuardWithIf)
      .split(tile, blocks, tile, std::max(block / rows, 1),
             TailStrategy::GuardWithIf)
      .reorder(column, row, tile, panels, blocks)
      .vectorize(column, vector)
      .unroll(column)
      .fuse(panels, blocks, task)
      .parallel(task);
  scheduleTile(contraction, LoopLevel(result, tile), columns, rows, vector,
               unroll);
}

} // namespace transfold::kernels
