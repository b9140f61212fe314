// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/schedule/ChooseSchedule.h"

#include "compiler/kernels/schedule/Anchors.h"
#include "compiler/kernels/schedule/FewRows.h"
#include "compiler/kernels/schedule/StoredOperands.h"
#include "dialect/Mask.h"

#include <numeric>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

// How much of a long sum is made at a time: the largest divisor up to 192, or
// all of it where there is no good one. In whole groups of rows.
static int64_t depthOfPart(int64_t size, int64_t group = 1) {
  for (int64_t depth = 192; depth >= 64; --depth)
    if (size % depth == 0 && depth % group == 0)
      return depth;
  return size;
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
  int64_t group =
      interleavedRows(kernel, product) == 2 ? 2 * xf::PanelsAttr::distance : 1;
  ArrayRef<Attribute> shape = product.getType().getShape();
  Entries entries = {{"columns", columns},
                     {"depth", depthOfPart(depth, group)},
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
  return entries;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

// Of a head. The last product's: what follows may join the heads.
static FailureOr<int64_t> channelsOf(xf::KernelOp kernel) {
  std::optional<int64_t> channels;
  for (auto product : kernel.getBody().getOps<xf::ContractOp>())
    channels = xf::getNumber(product.getType().getShape().back());
  if (!channels)
    return kernel.emitError("the channels of attention are a number");
  return *channels;
}

// Heads of queries that read the same keys and values: heads of keys that are
// repeated.
static int64_t sharedHeads(xf::KernelOp kernel) {
  int64_t shared = 0;
  for (auto repeat : kernel.getBody().getOps<xf::RepeatOp>())
    if (repeat.getAxis() == 0)
      shared = std::gcd(shared, repeat.getTimes());
  // Up to 8 come together: what is unrolled stays small.
  for (int64_t several = 8; several > 1; --several)
    if (shared != 0 && shared % several == 0)
      return several;
  return 1;
}

// Where a sequence goes on in steps, its rows are computed by strips of queries
// or a few at a time. Both make the same sums then: over parts of keys, that
// are tasks for all threads where queries are few and a cache has some hundred
// positions; and across the channels of a key as vectors make them.
static void shareSums(xf::KernelOp kernel, Entries &entries) {
  if (!isBesideSteps(kernel))
    return;
  entries.set("across", 8);
  entries.set("part", 128);
}

// A kernel reads those keys only that the mask may let one of its rows see.
static void limitKeys(xf::KernelOp kernel, Entries &entries) {
  auto softmaxes = kernel.getBody().getOps<xf::SoftmaxOp>();
  auto mask = softmaxes.empty()
                  ? xf::MaskAttr()
                  : (*softmaxes.begin()).getMask().value_or(xf::MaskAttr());
  if (!mask)
    return;
  auto [from, to] = xf::seenKeysOf(mask);
  for (auto [name, map] : {std::pair("keys_from", from), {"keys_to", to}})
    if (map.getNumResults() != 0)
      entries.set(name, map);
}

FailureOr<Entries> kernels::chooseAttention(xf::KernelOp kernel,
                                            const Machine &machine) {
  FailureOr<int64_t> channels = channelsOf(kernel);
  if (failed(channels))
    return failure();
  // As many of a head's channels as divide it and leave registers: rows times
  // vectors of channels are accumulators.
  int64_t rows = machine.registers == 32 ? 8 : 6;
  int64_t chunk = machine.vector;
  while (*channels % chunk)
    chunk /= 2;
  int64_t vectors = machine.registers == 32 ? 3 : 2;
  while (*channels % (vectors * chunk))
    --vectors;
  Entries entries = {{"channels", vectors * chunk},
                     {"keys", 2 * machine.vector},
                     {"rows", rows},
                     {"strip", 2 * rows},
                     {"unroll", 1},
                     {"vector", machine.vector}};
  shareSums(kernel, entries);
  limitKeys(kernel, entries);
  return entries;
}

// Of few queries and many keys.
FailureOr<Entries> kernels::chooseAttentionOfFewRows(xf::KernelOp kernel,
                                                     const Machine &machine) {
  Entries entries = {{"keys", 2 * machine.vector},
                     {"shared", sharedHeads(kernel)},
                     {"vector", machine.vector}};
  shareSums(kernel, entries);
  limitKeys(kernel, entries);
  return entries;
}

// Threads of a block and their share of the work; AttentionGpu.cpp counts.
FailureOr<Entries> kernels::chooseAttentionOnGpu(xf::KernelOp kernel,
                                                 const Machine &) {
  FailureOr<int64_t> channels = channelsOf(kernel);
  if (failed(channels))
    return failure();
  // As many queries as give a block up to 256 threads.
  return Entries{{"keys", 32},
                 {"strip", std::clamp<int64_t>(256 / *channels, 1, 8)}};
}

// Heads of queries and keys with lengths.
bool kernels::canHaveFewRowsOfAttention(xf::KernelOp kernel) {
  auto softmaxes = kernel.getBody().getOps<xf::SoftmaxOp>();
  SmallVector<xf::ContractOp> products(
      kernel.getBody().getOps<xf::ContractOp>());
  if (softmaxes.empty() || products.size() != 2)
    return false;
  ArrayRef<Attribute> scores = (*softmaxes.begin()).getType().getShape();
  ArrayAttr weights = products[1].getLhsLabels(),
            mixture = products[1].getLabels();
  return scores.size() == 3 && xf::getNumber(scores[0]) &&
         !xf::getNumber(scores[1]) && !xf::getNumber(scores[2]) &&
         mixture.size() == 3 && mixture[0] == weights[0] &&
         mixture[1] == weights[1];
}

//===----------------------------------------------------------------------===//
// Rows and reductions
//===----------------------------------------------------------------------===//

FailureOr<Entries> kernels::chooseRows(xf::KernelOp, const Machine &machine) {
  return Entries{
      {"block", 16}, {"lanes", 4 * machine.vector}, {"vector", machine.vector}};
}

FailureOr<Entries> kernels::chooseReduction(xf::KernelOp,
                                            const Machine &machine) {
  return Entries{{"columns", 4 * machine.vector},
                 {"lanes", 4 * machine.vector},
                 {"rows", 16},
                 {"vector", machine.vector}};
}

FailureOr<Entries> kernels::chooseRowsOnGpu(xf::KernelOp, const Machine &) {
  return Entries{{"lanes", 64}};
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

FailureOr<DictionaryAttr> kernels::chooseSchedule(xf::KernelOp kernel,
                                                  const Machine &machine,
                                                  bool isFew) {
  const AnchorRecord &anchor = recordOf(kernel.getAnchor());
  const auto &form = machine.isGpu ? anchor.gpu : anchor.processor;
  FailureOr<Entries> entries =
      (isFew ? anchor.fewRows->choose : form.choose)(kernel, machine);
  if (failed(entries))
    return failure();
  return entries->asAttribute(kernel.getContext());
}
