// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/schedule/Choices.h"
#include "compiler/kernels/schedule/FewRows.h"
#include "compiler/kernels/schedule/StoredOperands.h"
#include "dialect/Storage.h"
#include "dialect/blocks/BlockFormat.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// How much of a long sum is made at a time: the largest divisor up to 192, or
// all of it where there is no good one. In whole groups of rows.
static int64_t depthOfPart(int64_t size, int64_t group = 1) {
  for (int64_t depth = 192; depth >= 64; --depth)
    if (size % depth == 0 && depth % group == 0)
      return depth;
  return size;
}

// Whether groups of a matrix in blocks are summed before they are scaled.
static bool isScaledOnce(xf::KernelOp kernel, xf::ContractOp product) {
  auto format = blocksOf(kernel, product);
  return format && xf::blockFormatOf(*format)->isScaledOnce();
}

FailureOr<Entries> kernels::chooseContraction(xf::KernelOp kernel,
                                              const Machine &machine) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  if (products.empty())
    return kernel.emitError("a contraction kernel needs an xf.contract");
  xf::ContractOp product = *products.begin();
  int64_t depth = std::max<int64_t>(summedSize(product), 1);
  // With the rows of a tile, what fills the registers and leaves room for a row
  // of W. Contraction.cpp counts.
  int64_t columns = 2 * machine.vector;
  int64_t rows = machine.registers == 32 ? 8 : 6;
  const bool isInBlocks = blocksOf(kernel, product).has_value();
  int64_t group = isInBlocks ? blockGroup
                  : interleavedRows(kernel, product) == 2
                      ? 2 * xf::PanelsAttr::distance
                      : 1;
  ArrayRef<Attribute> shape = product.getType().getShape();
  Entries entries = {{"columns", columns},
                     {"depth", isScaledOnce(kernel, product)
                                   ? blockGroup
                                   : depthOfPart(depth, group)},
                     {"unroll", 1},
                     {"vector", machine.vector}};
  if (machine.dot > 1 && multipliesPairs(kernel))
    entries.set("dot", machine.dot);
  if (shape.size() == 1 && isPacked(kernel, product)) {
    // One row: up to four panels at a time, so that sums do not wait for each
    // other.
    int64_t tiles = (*xf::getNumber(shape[0]) + columns - 1) / columns;
    int64_t panels = tiles % 4 == 0 ? 4 : tiles % 2 == 0 ? 2 : 1;
    entries.set("columns", panels * columns);
    return entries;
  }
  // A block of rows takes half of a second-level cache of 1 MiB, at most.
  int64_t block = (1 << 17) / depth / rows * rows;
  entries.set("block", std::clamp<int64_t>(block, rows, 128 / rows * rows));
  entries.set("rows", rows);
  if (isInBlocks)
    entries.set("widen", 1);
  return entries;
}

// Threads of a block and their share of the work; ContractionGpu.cpp counts.
FailureOr<Entries> kernels::chooseContractionOnGpu(xf::KernelOp kernel,
                                                   const Machine &) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  if (products.empty())
    return kernel.emitError("a contraction kernel needs an xf.contract");
  int64_t depth = std::max<int64_t>(summedSize(*products.begin()), 1);
  return Entries{{"across", 16},
                 {"columns", 4},
                 {"depth", depthOfPart(depth)},
                 {"down", 8},
                 {"rows", 8}};
}

// A matrix of rows with a length.
bool kernels::canHaveFewRowsOfContraction(xf::KernelOp kernel) {
  ArrayRef<Attribute> shape =
      xf::getShape(kernel.getFunctionType().getResult(0));
  return shape.size() == 2 && !xf::getNumber(shape[0]);
}

// Rows one by one: nothing is computed that nobody reads, and the weights come
// from memory once, from the cache for the second row. One panel at a time is
// one stream of memory, and its two vectors of sums suffice: with a latency of
// 4 cycles they take 32 bytes a cycle, 16 of pairs, and memory gives about 8.
// (Two panels are two streams: 134 tokens/s instead of 150 with bfloat16.)
FailureOr<Entries> kernels::chooseContractionOfFewRows(xf::KernelOp kernel,
                                                       const Machine &machine) {
  FailureOr<Entries> entries = chooseContraction(kernel, machine);
  if (failed(entries))
    return failure();
  entries->set("rows", 1);
  entries->set("block", fewRows);
  entries->set("columns", panelWidth);
  // Sums, scales, minimums and words of four vectors are more than 16 registers
  // where each number is scaled; those of two are 12, and 3 constants.
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  if (blocksOf(kernel, *products.begin()) &&
      !isScaledOnce(kernel, *products.begin()) && machine.registers < 32)
    entries->set("columns", 2 * machine.vector);
  entries->remove("widen");
  return entries;
}
