// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c, n, p) = Σ_k x(k, n) W(c, k)              k of part p
//   total(c, n)  = Σ_p sum(c, n, p)                 one part after the other
//   result(c, n) = epilogue(total(c, n), …)         bias, activation, residual
//
// Small-M schedule for a GPU. W is read once, and the speed of this determines
// the time. A thread block computes the 32 columns of a panel, whose bytes are
// contiguous. A thread reads 16 bytes at a time, `columns` values of a row of
// the panel or words of as many columns in blocks, and computes the sums of
// whole parts in registers. Its neighbors in a warp have the other columns of
// that row, and the same of the next parts: a warp loads whole lines of 128
// bytes of 4 parts with float32 and blocks, and 64 bytes of 8 parts, which are
// two sectors, with 16 bits. The sums of all parts are collected in the shared
// memory of the block: `depth` is such that there are at most 80, 10 KiB a row.
// A thread for each column adds them in the order of the parts, which is that
// of the other forms of the kernel, so that these compute the same sums.
//
// Bytes in flight: 3.3 TB/s (H100) are 25 bytes a nanosecond for each of 132
// multiprocessors, 20 KiB in a latency of 0.8 µs. `ahead` rows of a part are
// loaded before the first is multiplied (LoadsFirst.h, BlockSizes.h), 128 bytes
// a thread: 256 threads have 32 KiB, and a sum over 4096 values has 512 threads
// in float32. A shorter sum has fewer threads, which load up to four times as
// much: the matrix of 768 x 768 values always has 24 blocks of 96 threads, and
// each waits for the memory two times instead of eight. x is loaded 16 bytes at
// a time, too, from the first-level cache: with float32 an iteration of 8 rows
// is 10 loads for 32 multiply-adds.
//
// Registers that ptxas counts for sm_90, without spills, when loads come first:
// for 96 threads 182 with float32, 108 with 16 bits, 149 with codes of 4 bits,
// and 114 to 167 with a norm. 512 threads have 128 at most, which are all of a
// multiprocessor's.
//
// In a family each member has blocks of its own.
//
// Several rows are computed four at a time, which share loaded and widened
// values: 4 columns and 4 rows ahead, 16 sums and 16 values of x. With blocks,
// iterations are as long, with four times the values of x. Blocks of few
// threads load as much more ahead as for one row: 186 registers with float32,
// 240 with codes of 4 bits.
//
// Two products of one x (ProductsTogether.cpp) have twice the sums and parts
// twice as long, so that there are at most 40 parts in the same memory, and
// load half as many rows ahead for each. With a norm (NormsGpu.cpp) values of x
// are products of three factors, which take as many more registers for each
// row; several rows then have 256 threads, and with blocks an iteration is half
// as long.

#include "compiler/kernels/schedule/gpu/NormsGpu.h"

#include <numeric>

using namespace Halide;

namespace transfold::kernels {

namespace {
/// Number of threads of a warp, which is also the number of columns of a panel.
constexpr int warp = 32;

/// The loops of a result in blocks: one column for each thread, and the rows of
/// a block.
struct Loops {
  Var block{"block"}, lane{"lane"}, row{"row"}, rows{"rows"};
  Var column;
  std::optional<Var> line;   // of the result's rows
  std::optional<Var> member; // of a family
};
} // namespace

// The loops of the result: blocks, and a thread for each column.
static void scheduleResult(Func result, const Loops &loops, int rows) {
  result.split(loops.column, loops.block, loops.lane, warp,
               TailStrategy::GuardWithIf);
  if (!loops.line) {
    result.gpu_blocks(loops.block).gpu_threads(loops.lane);
    return;
  }
  std::vector<VarOrRVar> order{loops.row, loops.lane, loops.rows, loops.block};
  if (loops.member)
    order.emplace_back(*loops.member);
  result
      .split(*loops.line, loops.rows, loops.row, rows,
             TailStrategy::GuardWithIf)
      .reorder(order)
      .unroll(loops.row)
      .gpu_blocks(loops.rows, loops.block)
      .gpu_threads(loops.lane);
  if (loops.member)
    result.gpu_blocks(*loops.member);
}

// All columns and rows of a function that one thread has, in registers.
template <typename Part>
static void holdTile(Part part, const Loops &loops,
                     std::vector<VarOrRVar> order,
                     const std::vector<RVar> &over) {
  order.insert(order.end(), over.begin(), over.end());
  part.reorder(order).vectorize(loops.column);
  if (loops.line)
    part.unroll(*loops.line);
}

// The sums of a part, inside the loop `level` of a thread.
static void scheduleSums(const Contraction &contraction, const Loops &loops,
                         LoopLevel level, int columns, int rows, int ahead) {
  // x has arguments (row, channel) if there are rows, else (channel).
  const bool isOfRows = contraction.device.tileOfRows.defined();
  Func sum = contraction.sum,
       x = isOfRows ? contraction.device.tileOfRows : contraction.prepared;
  std::vector<VarOrRVar> tile{loops.column};
  sum.compute_at(level).store_in(MemoryType::Register);
  sum.bound_extent(loops.column, columns);
  if (loops.line) {
    sum.bound_extent(*loops.line, rows);
    tile.emplace_back(*loops.line);
  }
  holdTile(Stage(sum), loops, tile, {});
  RVar group("group"), some("some"), one("one");
  const int numbers = std::max(contraction.device.groupNumbers, ahead);
  Stage update = sum.update()
                     .split(contraction.over.x, group, some, numbers)
                     .split(some, some, one, ahead);
  holdTile(update, loops, tile, {one, some, group});
  update.unroll(one);
  LoopLevel each(sum, some);
  for (Func ofGroup : contraction.device.ofGroups)
    ofGroup.compute_at(sum, group)
        .store_in(MemoryType::Register)
        .bound_extent(ofGroup.args()[0], columns)
        .vectorize(ofGroup.args()[0]);
  if (!x.defined())
    return;
  Var channel = x.args()[isOfRows];
  x.compute_at(each)
      .store_in(MemoryType::Register)
      .bound_extent(channel, ahead)
      .vectorize(channel, std::gcd(ahead, 4))
      .unroll(channel);
  if (isOfRows)
    x.reorder_storage(channel, x.args()[0])
        .bound_extent(x.args()[0], rows)
        .unroll(x.args()[0]);
}

/// The number of parts, which depends on the size of the sum only; 1 for a
/// length.
static int countOfParts(const Contraction &contraction) {
  auto count =
      Internal::as_const_int(Internal::simplify(contraction.parts.x.extent()));
  return count ? static_cast<int>(*count) : 1;
}

// The total of a column over all parts, computed by its thread in the result;
// sums of several parts are loaded before the first is added.
static void scheduleTotal(Func result, const Contraction &contraction,
                          const Loops &loops, int rows) {
  Func total = contraction.total;
  total.compute_at(result, loops.lane).store_in(MemoryType::Register);
  RVar turn("turn"), next("next");
  Stage update = total.update().split(contraction.parts.x, turn, next,
                                      std::gcd(countOfParts(contraction), 8));
  std::vector<VarOrRVar> order{next, turn};
  if (loops.line) {
    total.bound_extent(*loops.line, rows).unroll(*loops.line);
    order.insert(order.begin(), *loops.line);
    update.unroll(*loops.line);
  }
  update.reorder(order).unroll(next);
}

// The sums of all parts in the shared memory of a block. A warp has the columns
// of `columns` parts, and there are enough warps for `together` parts. Returns
// the loop of a thread over its parts.
static LoopLevel scheduleShared(const Contraction &contraction,
                                const Loops &loops, LoopLevel block,
                                int columns, int rows, int together) {
  Func shared = Func(contraction.sum).in(contraction.total);
  Var part = shared.args().back(), thread("thread"), several("several"),
      warps("warps"), round("round"), tile("tile"), own("own");
  shared.compute_at(block)
      .store_in(MemoryType::GPUShared)
      .bound_extent(loops.column, warp)
      .split(loops.column, tile, own, columns)
      .split(part, round, warps, together, TailStrategy::GuardWithIf)
      .split(warps, warps, several, columns)
      .fuse(tile, several, thread);
  std::vector<VarOrRVar> order{own};
  if (loops.line) {
    shared.bound_extent(*loops.line, rows).unroll(*loops.line);
    order.emplace_back(*loops.line);
  }
  order.insert(order.end(), {round, thread, warps});
  shared.reorder(order).vectorize(own).gpu_threads(thread, warps);
  return {shared, round};
}

/// A block has a panel of 32 columns and `rows` rows; its warps have different
/// parts of the sum.
void scheduleFewRowsOnGpu(Algorithm &algorithm, const Schedule &schedule) {
  const Contraction &contraction = algorithm.contractions[0];
  const size_t axes = algorithm.resultAxes.size();
  if (algorithm.contractions.size() != 1 || contraction.panel != warp ||
      !contraction.total.defined() || !contraction.isOfColumns || axes > 3 ||
      algorithm.result.args()[0].name() != loopOf(contraction.column)->name())
    throw std::runtime_error("few rows on a GPU are of one product with a "
                             "matrix in panels, in several parts");
  const int columns = schedule.get(Parameter::Columns),
            rows = schedule.get(Parameter::Rows);
  Loops loops;
  loops.column = algorithm.result.args()[0];
  // In memory a member's columns follow those of the previous member.
  if (axes > 1)
    loops.line = algorithm.result.args()[axes - 1];
  if (axes == 3)
    loops.member = algorithm.result.args()[1];
  scheduleResult(algorithm.result, loops, rows);

  scheduleTotal(algorithm.result, contraction, loops, rows);
  LoopLevel block(algorithm.result, loops.line ? loops.rows : loops.block);
  scheduleSums(contraction, loops,
               scheduleShared(contraction, loops, block, columns, rows,
                              schedule.get(Parameter::Parts)),
               columns, rows, schedule.get(Parameter::Ahead));
  scheduleNormsInBlock(algorithm, block,
                       schedule.get(Parameter::Parts) / columns, rows);
}

} // namespace transfold::kernels
