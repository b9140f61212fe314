// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sum(c, n)    = Σ_k x(k, n) W(c, k)
//   result(c, n) = epilogue(sum(c, n), …)            bias, activation, residual
//
// Schedule. A tile of `rows` × `columns` sums stays in registers while the loop
// over k runs: for each k, columns / vector loads of W, and for each row one
// value of x that the multiply-add broadcasts from memory. With 32 registers of
// 16 values:
//
//   8 × 32: 16 accumulators + 2 of W, 10 loads for 16 multiply-adds: 5 cycles
//           of loads compared to 8 (or 16) of arithmetic. 16 accumulators also
//           cover the latency, 4 cycles × 2 units.
//
// With 16 registers of 8 values, 6 × 16: 12 accumulators + 2 of W + 1. With 32
// of 4, on ARM, 8 × 8: 16 accumulators + 2 of W, and registers for values of x,
// which are broadcast by loads of their own. W is in panels of 32, whatever the
// machine, so it is one stream, or two or four in turn. x is read from its
// original place: packing it cost more than it gained.
//
// If x is rounded to bfloat16 and the processor has an instruction for two
// products of such values, a load of W is a vector of pairs and x a broadcast
// pair: twice the products for as many instructions. x is rounded in advance,
// once.
//
// A long sum is computed in parts of `depth` terms, and each part is added to a
// total at its end: every result then passes through depth + k / depth
// roundings instead of k.
//
// If W is in blocks of integer codes (dialect/blocks), the kernel reads the
// bytes of the file. A group of 16 or 32 values with one scale is summed before
// it is scaled (algorithm/product/BlockProduct.cpp).
//
// For few rows, codes are widened in registers. With vectors of 8, a value of 4
// bits takes a mask, a conversion and a multiply-add, and a fourth of a shift
// and of a load of x, which four vectors share: 3.5 instructions. If codes have
// two bit fields, words of four are assembled in the first-level cache first, a
// fourth of 7 to 10 instructions. A value of 8 bits takes one or two shifts, a
// conversion and a multiply-add. The scale of a group, nine instructions for a
// float16, is a tenth of that. Four accumulators with a latency of 4 cycles
// allow 8 values a cycle, 25 a nanosecond on a Zen 3 core at 3.1 GHz. From the
// cache it processes 18 of 4 bits; its memory delivers 17 GB/s, 30 of 4 bits
// and 16 of 8. So that neither waits for the other, lines are prefetched
// (build/loads/LoadsAhead.h).
//
// For many rows a task first widens its panel, codes to floats, once for all of
// its rows.
//
// If x is rounded to 8-bit integers, a word of four of them is broadcast and a
// vector of words of four codes loaded: 32 products of 8 columns with
// vpmaddubsw and an addition of 16 bits, and two instructions more when 16 bits
// cannot hold the sum with a further word: after 8 words of 4 bits, 4 of 5, 2
// of 6, and after each word of 8. Sums end with each group, so that there are
// as many totals as sums: 4 × 16 are 8 sums and 8 totals, 6 × 32 with 32
// registers 12 and 12 plus 2 of W, 1 of x and 1 product. Measured on that core,
// prompts of Gemma 3 with 3, 4, 5 and 6 rows by 16: 492, 496, 478, 450
// tokens/s. Products of bytes alone, added up, would do 303 billion operations
// a second, a tile with the ends of its groups does 160, and the programs 140;
// in floats the peak is 99.
//
// If the processor has matrix registers (AMX) and codes are signed bytes, one
// instruction takes 16 cycles for 16 rows by 16 columns by 64 bytes, so a group
// of 64 is one: two for 32 columns, which share the loads of x. Sums pass
// through the first-level cache, since vectors cannot be extracted from such
// registers. The end of a group converts each vector of them, multiplies it by
// the scale of the row, and adds it times the scales of the columns: 3
// instructions for two units. 12 rows have 24 totals, which stay in vector
// registers together with 2 vectors of scales and the converted values: 24
// cycles of products and 36 of ends for 24,576 products. 16 rows have 32, which
// are loaded and stored, one a cycle: 32 cycles of products and 48 of ends for
// 32,768, and fewer loads of W. Measured on a Sapphire Rapids with 12, 16, 24
// and 32 rows: 480 × 1024 × 1024 takes 1.32, 1.21, 1.23 and 1.21 ms,
// all-MiniLM-L6-v2 with 128 tokens 6.34, 6.09, – and 5.99. That is 375 to 415
// products a nanosecond, a third of what was counted: sums that pass through
// memory wait there. (Computing them one group ahead of their use changed
// nothing.) The instructions for words do 226.
//
// Such registers also multiply pairs of bfloat16, and add in an order of their
// own (algorithm/product/PairProduct.cpp), so that sums stay in them to the
// end: parts of `depth` would be added in between. One instruction takes 16
// cycles for 16 rows by 16 columns by 32 values. 32 × 32 are 4 registers of
// sums, 2 of x and 1 or 2 of W, 8 in all: 4 loads of 16 lines, 32 cycles from
// the first-level cache, compared to 64 of products; of these loads, 2 KiB of W
// come from the second-level cache, 32 bytes a cycle. 16 × 32 would be 3 loads
// and the same 2 KiB for 32. A load takes the lines of W unchanged from the
// panel, nothing is widened or moved. That is 512 products a cycle; vdpbf16ps
// does 64. This has not been measured.
//
// One or two rows use multiply-adds of floats in the same order: for each
// vector of pairs two instructions that widen W, and two for the row. That is 8
// for 128 bytes of W, 4 cycles of two units; each sum waits 4 cycles for the
// previous one, which is as long. Memory delivers 8 to 10 bytes a cycle.
//
// ARM's i8mm multiplies 8 bytes of two rows with 8 of two columns, 32 products
// where sdot does 16. Its operands are adjacent octets of two columns and of
// two rows; the task's panel and the rounded rows have this layout
// (algorithm/product/IntegerRows.cpp), so nothing is moved between registers
// except at the end of a group: from two registers with 2 × 2 sums each to two
// with a row of 4 each. A tile of 6 × 8 has 12 sums and 12 totals plus 3 of x
// and 1 of W, 28 of 32 registers, and 7 loads of 16 bytes for 12 instructions
// of 384 products; sdot takes 8 loads for 12 instructions of 192. 8 × 8 would
// have 16 and 16. The end of a group is 5 instructions for 4 sums instead of 3;
// the products of a group of 64 are 8 instead of 16. This has not been
// measured.
//
// A task is one panel (columns · k values, in the second-level cache) with a
// `block` of rows, which stay there for the next panels; in a family, of one of
// its members. Rows past the end repeat the last one and are not stored. A
// second operand that is not a packed weight is packed by the task, once for
// all of its rows.

#include "base/numeric/BlockFormat.h"
#include "compiler/kernels/schedule/cpu/ContractionTile.h"

using namespace Halide;

namespace transfold::kernels {

// Scales and minimums of groups and of their blocks, in registers.
static void scheduleParts(const std::vector<Func> &parts, LoopLevel level,
                          const ContractionTile &tile) {
  for (Func part : parts) {
    Var column = part.args()[0];
    part.compute_at(level)
        .bound_extent(column, tile.columns)
        .vectorize(column, tile.vector)
        .unroll(column);
  }
}

// Plain loops over a tile, which build/tiles/TileCalls replaces by a call.
static void scheduleTiles(const Contraction &contraction, LoopLevel level,
                          const ContractionTile &tile) {
  if (!tile.column || !tile.row)
    throw std::runtime_error("a product of tiles has rows and columns");
  Func sum = contraction.sum;
  sum.compute_at(level)
      .store_in(MemoryType::Stack)
      .bound_extent(*tile.column, tile.columns)
      .bound_extent(*tile.row, tile.rows);
  Stage update = sum.update();
  update.reorder(contraction.over.x, *tile.column, *tile.row);
  if (!contraction.isOfOctets())
    return;
  Var pair("pair");
  update.split(*tile.row, pair, *tile.row, 2, TailStrategy::GuardWithIf);
}

// Schedules the totals and sums of a tile inside `level`, for each kind of
// product.
static void scheduleSums(const Contraction &contraction, LoopLevel level,
                         const ContractionTile &tile, int unroll) {
  Func sum = contraction.sum, total = contraction.total;
  const BlockTerms *blocks = contraction.blocks();
  const RDom &over = contraction.over, &parts = contraction.parts;
  if (total.defined()) {
    tile.hold(total, level,
              blocks ? std::vector<RVar>{parts.x, parts.y}
                     : std::vector<RVar>{parts.x});
    level = LoopLevel(total, parts.x);
  }
  if (tile.isCall) {
    scheduleTiles(contraction, level, tile);
  } else if (contraction.isOf(PairTerms::Dots)) {
    // Inside a vector of sums, the two products of each sum.
    tile.hold(sum, level, {over.y, over.z}, {over.x});
  } else if (contraction.isOf(PairTerms::Widened)) {
    // Both values of each loaded pair.
    tile.hold(sum, level, {over.x, over.y, over.z});
    sum.update().unroll(over.x);
  } else if (contraction.isOf(PairTerms::Halves)) {
    // Both values of each loaded pair.
    tile.hold(sum, level, {over.x}, {}, sum.args().back());
  } else if (blocks && !contraction.panels.defined()) {
    // The codes of a word are processed while it is in registers.
    tile.hold(sum, level,
              blocks->areIntegers() ? std::vector<RVar>{over.x}
                                    : std::vector<RVar>{over.x, over.y});
    sum.update().unroll(over.x);
    scheduleParts(blocks->ofBlocks, LoopLevel(total, parts.y), tile);
    scheduleParts(blocks->ofGroups, level, tile);
    if (Func words = blocks->words; words.defined()) {
      scheduleParts({words}, level, tile);
      words.store_in(MemoryType::Stack);
    }
  } else {
    tile.hold(sum, level, {over.x});
    if (contraction.isOfIntegers())
      sum.update().unroll(over.x);
  }
  // Of a pair, `over.x` is unrolled already.
  const bool isPaired =
      contraction.isOf(PairTerms::Widened) || contraction.isOf(PairTerms::Dots);
  if (unroll > 1)
    sum.update().unroll(isPaired ? over.y : over.x, unroll);
}

// Rows that are computed in advance: each is read once for every panel. They
// are computed in vectors of `vector` values or words.
static void schedulePrepared(const Contraction &contraction, int vector,
                             int rows) {
  Func prepared = contraction.prepared;
  if (!prepared.defined())
    return;
  std::vector<Var> variables = prepared.args();
  const bool isPaired =
      contraction.isOf(PairTerms::Dots) || contraction.isOfOctets();
  Var channel = variables[isPaired ? 1 : 0];
  prepared.compute_root().vectorize(channel, vector, TailStrategy::RoundUp);
  if (isPaired)
    prepared.reorder(variables[0], channel).unroll(variables[0]);
  if (rows > 1)
    prepared.parallel(variables.back(), rows, TailStrategy::RoundUp);
}

// Values of the groups of rows, (group, rows…), computed once for all panels.
static void scheduleGroups(Func ofGroup, int rows) {
  std::vector<Var> variables = ofGroup.args();
  ofGroup.compute_root();
  if (rows > 1 && variables.size() > 1)
    ofGroup.parallel(variables.back(), rows, TailStrategy::GuardWithIf);
}

// The inputs of a function of groups, for one group: `lanes` as a vector, and
// for integers, whose order does not matter, the vector reduced to one value.
static void scheduleLanes(const Func &ofGroup, Func lanes, Func all) {
  const Var group = ofGroup.args()[0];
  lanes.compute_at(ofGroup, group).vectorize(lanes.args()[0]);
  if (!all.defined())
    return;
  all.compute_at(ofGroup, group);
  all.update().atomic().vectorize(all.rvars()[0]);
}

// The scales of rows of integers. The inverses are needed only for the integers
// of a group, if those are computed in advance.
static void scheduleQuantized(const QuantizedRows &own,
                              const Contraction &contraction, int rows) {
  scheduleGroups(own.scales, rows);
  scheduleLanes(own.scales, own.lanes, own.largest);
  Func inverses = own.inverses;
  if (contraction.isOfIntegers())
    inverses.compute_at(contraction.prepared,
                        contraction.prepared.args()[contraction.isOfOctets()]);
  else
    scheduleGroups(inverses, rows);
}

// The sums over the rows of groups.
static void scheduleSumsOfGroups(const Contraction &contraction, int rows) {
  const BlockTerms *blocks = contraction.blocks();
  if (!blocks || !blocks->sumsOfGroups.defined())
    return;
  scheduleGroups(blocks->sumsOfGroups, rows);
  scheduleLanes(blocks->sumsOfGroups, blocks->lanesOfSums,
                blocks->totalsOfSums);
}

// Tiles extend to the end of the last panel, which is padded, but not beyond.
static void checkPanels(const Contraction &contraction, int columns) {
  int panel = contraction.panel;
  if (panel == 0)
    return;
  int64_t stored = (contraction.columns + panel - 1) / panel * panel;
  if (stored % columns)
    throw std::runtime_error(
        "its tiles of " + std::to_string(columns) + " columns do not fit the " +
        std::to_string(stored) + " columns that are stored");
}

// The lines of a packed matrix that a task reads: its columns of a panel. If
// several tasks read a panel, the lines of one task are not adjacent.
static Algorithm::ReadByTasks linesOfTask(const Contraction &contraction,
                                          int columns, int tiles) {
  constexpr int lineBytes = 64;
  const PanelBuffer &matrix = *contraction.matrix;
  const int rows =
      static_cast<int>(contraction.depth / matrix.numbers) * matrix.rows;
  const int elements = matrix.rowElements / contraction.panel * columns;
  const int ofLine = lineBytes / matrix.elementBytes;
  if (elements < matrix.rowElements)
    return {matrix.name, rows, matrix.rowElements, tiles};
  return {matrix.name, rows * elements / ofLine, ofLine, tiles};
}

/// AlgorithmBuilder names the variables of axes i0, i1, ….
std::optional<Var> loopOf(std::optional<size_t> axis) {
  if (!axis)
    return std::nullopt;
  return Var("i" + std::to_string(*axis));
}

// Fuses the loops `tasks` into one parallel loop.
static Var runTasks(Func result, const std::vector<Var> &tasks) {
  Var task = tasks[0];
  for (size_t i = 1; i < tasks.size(); ++i) {
    Var both("task" + std::to_string(i));
    result.fuse(task, tasks[i], both);
    task = both;
  }
  result.parallel(task);
  return task;
}

// The functions that build/tiles/TileCalls replaces by a call.
static Algorithm::TileSums sumsOfTile(const Contraction &contraction) {
  using Sums = Algorithm::TileSums;
  const std::string sum = contraction.sum.name();
  if (contraction.isOf(PairTerms::Words))
    return {Sums::Pairs, sum, contraction.prepared.name(),
            contraction.matrix->name};
  if (!contraction.isOfIntegers() || !contraction.panels.defined())
    throw std::runtime_error("tiles are of integers in panels");
  return {contraction.isOfOctets() ? Sums::Octets : Sums::Words, sum,
          contraction.prepared.name(), contraction.panels.name()};
}

// Throws std::runtime_error unless the algorithm is a single product.
static void checkOperations(const Algorithm &algorithm) {
  if (algorithm.contractions.size() != 1)
    throw std::runtime_error("a contraction kernel has one product");
  if (!algorithm.rowReductions.empty() || !algorithm.columnReductions.empty())
    throw std::runtime_error("a contraction kernel has no other sums");
}

// The tile of a result, as wide as the contraction's definitions require.
static ContractionTile tileOf(const Algorithm &algorithm,
                              const Schedule &schedule) {
  const Contraction &contraction = algorithm.contractions[0];
  ContractionTile tile{
      loopOf(contraction.column),
      loopOf(contraction.row),
      {},
      contraction.width,
      1,
      std::min(schedule.get(Parameter::Vector), contraction.width)};
  for (size_t axis = 0; axis < algorithm.resultAxes.size(); ++axis)
    if (axis != contraction.column && axis != contraction.row)
      tile.members.push_back(*loopOf(axis));
  if (tile.row)
    tile.rows = schedule.get(Parameter::Rows);
  tile.isCall = contraction.isOfOctets() || schedule.has(Parameter::Tiles);
  return tile;
}

// Annotates the algorithm with what the build does in addition to the schedule:
// calls for its tiles, prefetches, and the flushing of denormals.
static void annotate(Algorithm &algorithm, const Contraction &contraction,
                     const Schedule &schedule, const ContractionTile &tile) {
  if (tile.isCall)
    algorithm.tileSums = sumsOfTile(contraction);
  algorithm.flushesDenormals =
      contraction.isOf(PairTerms::Halves) ||
      (tile.isCall && contraction.isOf(PairTerms::Words));
  if (schedule.has(Parameter::Ahead))
    algorithm.streamed = {contraction.matrix->name,
                          schedule.get(Parameter::Ahead)};
  if (schedule.has(Parameter::Overlap) && contraction.matrix)
    algorithm.readByTasks = linesOfTask(contraction, tile.columns,
                                        schedule.get(Parameter::Overlap));
}

// Schedules what is computed from the rows before the products: their rounded
// or quantized values, and the sums of their groups.
static void scheduleOperands(const Algorithm &algorithm,
                             const Contraction &contraction,
                             const Schedule &schedule,
                             const ContractionTile &tile) {
  // In a single loop, each thread computes all rows that it reads.
  const int share = schedule.isOneLoop ? 1 : tile.rows;
  int vector = schedule.get(Parameter::Vector);
  for (const QuantizedRows &quantized : algorithm.quantizedRows) {
    scheduleQuantized(quantized, contraction, share);
    if (contraction.isOfIntegers()) // the words of a group have one scale
      vector = std::min(vector, quantized.numbers / codesOfWord /
                                    (contraction.isOfOctets() ? 2 : 1));
  }
  schedulePrepared(contraction, vector,
                   contraction.isOfOctets() ? (share + 1) / 2 : share);
  scheduleSumsOfGroups(contraction, share);
}

// Schedules the panel that each iteration of the loop `task` packs, or widens,
// once for all of its rows.
static void schedulePacked(const Contraction &contraction, LoopLevel task,
                           const ContractionTile &tile) {
  Func packed = contraction.panels;
  if (!packed.defined())
    return;
  packed.compute_at(task)
      .bound_extent(packed.args()[0], tile.columns)
      .vectorize(packed.args()[0], tile.vector)
      .unroll(packed.args()[0]);
  const BlockTerms *blocks = contraction.blocks();
  if (!blocks)
    return;
  if (!blocks->areIntegers()) {
    Var number = packed.args()[1], word("word");
    packed.split(number, word, number, codesOfWord).unroll(number);
  }
  if (Func words = blocks->words; words.defined()) {
    scheduleParts({words}, LoopLevel(packed, packed.args()[2]), tile);
    words.store_in(MemoryType::Stack);
  }
  scheduleParts(blocks->ofBlocks, task, tile);
  scheduleParts(blocks->ofGroups, task, tile);
}

void scheduleContraction(Algorithm &algorithm, const Schedule &schedule) {
  checkOperations(algorithm);
  const Contraction &contraction = algorithm.contractions[0];
  const ContractionTile tile = tileOf(algorithm, schedule);
  annotate(algorithm, contraction, schedule, tile);
  scheduleOperands(algorithm, contraction, schedule, tile);
  checkPanels(contraction, tile.columns);

  Func result = algorithm.result;
  // Loops from the inside out: the tile, the tiles of a block of rows, and the
  // tasks.
  std::vector<VarOrRVar> order;
  std::vector<Var> tasks;
  Var panels("panels"), column("column"), tiles("tiles"), row("row"),
      blocks("blocks");
  if (tile.column) {
    result.split(*tile.column, panels, column, tile.columns,
                 TailStrategy::GuardWithIf);
    order.emplace_back(column);
    tasks.push_back(panels);
  }
  if (tile.row) {
    int block = std::max(schedule.get(Parameter::Block) / tile.rows, 1);
    result.split(*tile.row, tiles, row, tile.rows, TailStrategy::GuardWithIf)
        .split(tiles, blocks, tiles, block, TailStrategy::GuardWithIf);
    order.emplace_back(row);
    order.emplace_back(tiles);
  }
  tasks.insert(tasks.end(), tile.members.begin(), tile.members.end());
  if (tile.row)
    tasks.push_back(blocks);
  order.insert(order.end(), tasks.begin(), tasks.end());
  if (order.empty()) { // a single value
    scheduleSums(contraction, LoopLevel::root(), tile, 1);
    return;
  }
  result.reorder(order);
  if (tile.column)
    result.vectorize(column, tile.vector).unroll(column);
  Var task = runTasks(result, tasks);
  schedulePacked(contraction, LoopLevel(result, task), tile);
  scheduleSums(contraction, LoopLevel(result, tile.row ? tiles : task), tile,
               schedule.get(Parameter::Unroll));
}

} // namespace transfold::kernels
