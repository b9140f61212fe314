// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of contractions on processors: tiles from the number and width of
// registers, parts of long sums, and the instructions that the storage of the
// matrix permits.

#include "base/numeric/BlockFormat.h"
#include "compiler/kernels/schedule/choose/Choices.h"
#include "compiler/kernels/schedule/choose/FewRows.h"
#include "compiler/kernels/schedule/choose/StoredOperands.h"
#include "dialect/weights/Storage.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// The number of terms of a long sum that are added at a time: the largest
// divisor up to 192, or all of them if no divisor is at least 64. In whole
// groups of rows.
static int64_t depthOfPart(int64_t size, int64_t group) {
  for (int64_t depth = 192; depth >= 64; --depth)
    if (size % depth == 0 && depth % group == 0)
      return depth;
  return size;
}

// By how many bytes the prefetches of a matrix in blocks are ahead. Widening
// its lines takes about as long as loading them from memory, and a processor
// that looks ahead only as far as its reorder buffer, some 30 ns, does these
// one after the other. At 12 GB/s a latency of 100 ns is 1,200 bytes. Measured
// on Zen 3, tokens/s of a Gemma 3 of 270 M without and with 1, 2, 4 and 8 KiB:
// 40, 44, 49, 50, 48; with a panel of 12 KiB and two threads, more than 2 KiB
// are read in vain. Matrices of floats, for which nothing is computed, lose by
// it: 46 and 36 tokens/s. On Intel's processors kernels do not prefetch
// (runtime/kernels/Prefetches.h).
constexpr int64_t bytesAhead = 2048;

// The unrolling factor of the loop of a sum. With fewer jumps and additions in
// between, a processor looks further ahead, to loads that will miss: measured
// on Zen 3, 16 tokens of an encoder took 27 to 36 % less with a factor of 4
// than with 1; with 128 tokens, whose weights are in the cache, nothing
// changed.
static int64_t roundsOfLoop(xf::KernelOp kernel, xf::ContractOp product,
                            int64_t depth) {
  return sumsSingleNumbers(kernel, product) && depth % 4 == 0 ? 4 : 1;
}

// Rows of a tile whose sums are computed by matrix registers: as many as such a
// register has. The register arithmetic is in Contraction.cpp.
constexpr int64_t rowsOfTiles = 16;

// Rows of a tile whose sums stay in matrix registers to the end: two registers
// of rows by two of columns. The register arithmetic is in Contraction.cpp.
constexpr int64_t rowsOfTilesOfPairs = 32;

// The same order of additions without matrix registers: a vector of sums for
// each half of 32 values.
static void sumInHalves(Entries &entries) {
  entries.set(Parameter::Halves, 1);
  entries.set(Parameter::Depth, 2 * xf::PanelsAttr::distance);
}

// The number of tiles of a task during which the panel of the next task is
// prefetched.
constexpr int64_t tilesOfOverlap = 8;

namespace {
/// The machine's instructions that apply to a kernel's products.
struct Instructions {
  bool hasTiles, hasOctets, hasDots, hasTilesOfPairs;

  Instructions(xf::KernelOp kernel, const Machine &machine) {
    const bool isOfTiles = multipliesTiles(kernel, machine),
               isOfPairs = multipliesPairs(kernel);
    hasTiles = isOfTiles && machine.tileRows >= rowsOfTiles;
    hasOctets = isOfTiles && machine.tileRows == 2;
    hasTilesOfPairs = isOfPairs && machine.multipliesTilesOfPairs;
    hasDots = isOfPairs && machine.dot > 1 && !hasTilesOfPairs;
  }
};
} // namespace

// With two vectors of columns, as many rows as fill the registers and leave
// room for a row of W. The register arithmetic is in Contraction.cpp.
static int64_t rowsOfTile(xf::KernelOp kernel, const Machine &machine,
                          const Instructions &own) {
  if (own.hasTilesOfPairs)
    return rowsOfTilesOfPairs;
  if (own.hasTiles)
    return rowsOfTiles;
  if (multipliesIntegers(kernel))
    return machine.registers == 32 ? 6 : 4;
  return machine.registers == 32 ? 8 : 6;
}

FailureOr<Entries> kernels::chooseContraction(xf::KernelOp kernel,
                                              const Machine &machine) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  if (products.empty())
    return kernel.emitError("a contraction kernel needs an xf.contract");
  xf::ContractOp product = *products.begin();
  int64_t depth = std::max<int64_t>(summedSize(product), 1);
  // Two vectors of W share each broadcast value of x.
  int64_t columns = 2 * machine.vector;
  const Instructions own(kernel, machine);
  const int64_t rows = rowsOfTile(kernel, machine, own);
  const auto blocks = blocksOf(kernel, product);
  int64_t group =
      interleavedRows(kernel, product) == 2 ? 2 * xf::PanelsAttr::distance : 1;
  ArrayRef<Attribute> shape = product.getType().getShape();
  Entries entries = {
      {Parameter::Columns, columns},
      {Parameter::Depth, blocks ? xf::blockFormatOf(*blocks)->groupNumbers()
                                : depthOfPart(depth, group)},
      {Parameter::Unroll, 1},
      {Parameter::Vector, machine.vector}};
  if (own.hasDots)
    entries.set(Parameter::Dot, machine.dot);
  // A single row has no tile of rows, so more columns take the registers.
  const bool isPackedRow = shape.size() == 1 && isPacked(kernel, product);
  if (isPackedRow && blocks) {
    entries.set(Parameter::Columns, panelWidth);
    entries.set(Parameter::Ahead, bytesAhead);
    return entries;
  }
  if (isPackedRow) {
    // Up to four panels at a time, so that sums do not wait for each other.
    int64_t tiles = (*xf::getNumber(shape[0]) + columns - 1) / columns;
    int64_t panels = tiles % 4 == 0 ? 4 : tiles % 2 == 0 ? 2 : 1;
    entries.set(Parameter::Columns, panels * columns);
    if (own.hasTilesOfPairs)
      sumInHalves(entries);
    return entries;
  }
  entries.set(Parameter::Unroll,
              roundsOfLoop(kernel, product, *entries.get(Parameter::Depth)));
  // A block of rows takes at most half of a second-level cache of 1 MiB.
  int64_t block = (1 << 17) / depth / rows * rows;
  entries.set(Parameter::Block,
              std::clamp<int64_t>(block, rows, 128 / rows * rows));
  entries.set(Parameter::Rows, rows);
  if (isPacked(kernel, product) && !own.hasTilesOfPairs)
    entries.set(Parameter::Overlap, tilesOfOverlap);
  if (blocks) {
    // A widened panel serves more rows, even if these then come from the
    // third-level cache.
    entries.set(Parameter::Block, llvm::alignTo(128, rows));
    entries.set(Parameter::Widen, 1);
  }
  if (own.hasTilesOfPairs)
    entries.set(Parameter::Depth, depth);
  if (own.hasTiles || own.hasTilesOfPairs)
    entries.set(Parameter::Tiles, 1);
  if (own.hasOctets)
    entries.set(Parameter::Octets, 1);
  return entries;
}

// The result must be a matrix whose rows have a length.
bool kernels::canHaveFewRowsOfContraction(xf::KernelOp kernel) {
  ArrayRef<Attribute> shape =
      xf::getShape(kernel.getFunctionType().getResult(0));
  return shape.size() == 2 && !xf::getNumber(shape[0]);
}

// Few rows read the matrix directly, and widen codes in registers: each tile
// does this again, which takes no longer than writing floats to the
// second-level cache and reading them (SmolLM2, 10 rows: 50 ms both).
static void readOnce(xf::KernelOp kernel, Entries &entries) {
  entries.remove(Parameter::Widen);
  if (!multipliesPairs(kernel))
    entries.remove(Parameter::Tiles);
  entries.remove(Parameter::Octets);
  entries.remove(Parameter::Overlap);
  if (blocksOf(kernel, *kernel.getBody().getOps<xf::ContractOp>().begin()))
    entries.set(Parameter::Ahead, bytesAhead);
}

// The entries of a variant for few rows, `rows` of which are a tile.
static FailureOr<Entries> chooseFor(xf::KernelOp kernel, const Machine &machine,
                                    int64_t rows, int64_t block) {
  FailureOr<Entries> entries = chooseContraction(kernel, machine);
  if (failed(entries))
    return failure();
  entries->set(Parameter::Rows, rows);
  entries->set(Parameter::Block, block);
  readOnce(kernel, *entries);
  return entries;
}

// One or two rows, one by one: no unused row is computed, and the weights are
// read from memory once, and from the cache for the second row. One panel at a
// time is one stream from memory, and its two vectors of sums suffice: with a
// latency of 4 cycles they take 32 bytes a cycle, 16 of pairs, and memory
// delivers about 8. (Two panels are two streams: 134 tokens/s instead of 150
// with bfloat16.)
FailureOr<Entries> kernels::chooseContractionOfFewRows(xf::KernelOp kernel,
                                                       const Machine &machine) {
  FailureOr<Entries> entries =
      chooseFor(kernel, machine, 1, fewRowsOfContraction);
  if (failed(entries))
    return failure();
  entries->set(Parameter::Columns, panelWidth);
  entries->set(Parameter::Unroll, 1);
  if (entries->get(Parameter::Tiles)) {
    entries->remove(Parameter::Tiles);
    sumInHalves(*entries);
  }
  return entries;
}

// For more rows, one matrix register of rows if matrix registers add up pairs:
// it takes 32 cycles for 2 KiB of W, whatever the number of rows, and memory is
// slower. Otherwise tiles of 4 rows: at most 3 are computed in vain, and each
// widened load of W serves 4. Eight sums of 8 values are 4 cycles of
// multiply-adds, which is their latency. Measured on Zen 3, SmolLM2 in Q4_1, 4
// and 8 rows in milliseconds, one by one and in tiles of 4: with floats 30 and
// 65, 17 and 39, with integers 15 and 27, 10 and 18.
FailureOr<Entries>
kernels::chooseContractionOfSeveralRows(xf::KernelOp kernel,
                                        const Machine &machine) {
  FailureOr<Entries> entries = chooseFor(kernel, machine, 4, severalRows);
  if (succeeded(entries) && entries->get(Parameter::Tiles))
    entries->set(Parameter::Rows, severalRows);
  return entries;
}
