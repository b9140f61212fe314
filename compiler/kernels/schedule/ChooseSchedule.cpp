// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/schedule/ChooseSchedule.h"

#include "compiler/kernels/schedule/StoredOperands.h"
#include "dialect/Mask.h"

#include <numeric>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

using Numbers = SmallVector<std::pair<StringRef, int64_t>>;

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

static FailureOr<Numbers> contractionSchedule(xf::KernelOp kernel,
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
  Numbers numbers = {{"columns", columns},
                     {"depth", depthOfPart(depth, group)},
                     {"unroll", 1},
                     {"vector", machine.vector}};
  if (machine.dot > 1 && multipliesPairs(kernel))
    numbers.push_back({"dot", machine.dot});
  if (shape.size() == 1 && isPacked(kernel, product)) {
    // One row: up to four panels at a time, so that sums do not wait for each
    // other.
    int64_t tiles = (*xf::getNumber(shape[0]) + columns - 1) / columns;
    numbers[0].second *= tiles % 4 == 0 ? 4 : tiles % 2 == 0 ? 2 : 1;
    return numbers;
  }
  // A block of rows takes half of a second-level cache of 1 MiB, at most.
  int64_t block = (1 << 17) / depth / rows * rows;
  numbers.push_back(
      {"block", std::clamp<int64_t>(block, rows, 128 / rows * rows)});
  numbers.push_back({"rows", rows});
  return numbers;
}

// Rows one by one: nothing is computed that nobody reads, and the weights come
// from memory once, from the cache for the second row. One panel at a time is
// one stream of memory, and its two vectors of sums suffice: with a latency of
// 4 cycles they take 32 bytes a cycle, 16 of pairs, and memory gives about 8.
// (Two panels are two streams: 134 tokens/s instead of 150 with bfloat16.)
static void scheduleFewRows(Numbers &numbers) {
  for (auto &[name, number] : numbers) {
    if (name == "rows")
      number = 1;
    if (name == "block")
      number = fewRows;
    if (name == "columns")
      number = panelWidth;
  }
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

static FailureOr<Numbers> attentionSchedule(xf::KernelOp kernel,
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
  return Numbers{{"channels", vectors * chunk},
                 {"keys", 2 * machine.vector},
                 {"rows", rows},
                 {"strip", 2 * rows},
                 {"unroll", 1},
                 {"vector", machine.vector}};
}

// Where a sequence goes on in steps, its rows are computed by strips of queries
// or a few at a time. Both make the same sums then: over parts of keys, that
// are tasks for all threads where queries are few and a cache has some hundred
// positions; and across the channels of a key as vectors make them.
static Numbers sharedSums(xf::KernelOp kernel) {
  auto entries = kernel->getParentOfType<ModuleOp>().getOps<xf::EntryOp>();
  if (llvm::none_of(entries, [](xf::EntryOp entry) {
        return entry.getStage() == xf::Stage::Step;
      }))
    return {};
  return {{"across", 8}, {"part", 128}};
}

// Of few queries and many keys.
static Numbers decodingSchedule(xf::KernelOp kernel, const Machine &machine) {
  return {{"keys", 2 * machine.vector},
          {"shared", sharedHeads(kernel)},
          {"vector", machine.vector}};
}

// Strips of queries read those keys only that the mask may let one of them see.
static void limitKeys(xf::KernelOp kernel,
                      SmallVectorImpl<NamedAttribute> &schedule) {
  auto softmaxes = kernel.getBody().getOps<xf::SoftmaxOp>();
  auto mask = softmaxes.empty()
                  ? xf::MaskAttr()
                  : (*softmaxes.begin()).getMask().value_or(xf::MaskAttr());
  if (!mask)
    return;
  auto [from, to] = xf::seenKeysOf(mask);
  Builder builder(kernel.getContext());
  for (auto [name, map] : {std::pair("keys_from", from), {"keys_to", to}})
    if (map.getNumResults() != 0)
      schedule.push_back(builder.getNamedAttr(name, AffineMapAttr::get(map)));
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

// Threads of a block and their share of the work; ContractionGpu.cpp and
// AttentionGpu.cpp count.
static FailureOr<Numbers> scheduleOnGpu(xf::KernelOp kernel) {
  switch (kernel.getAnchor()) {
  case xf::Anchor::Contraction: {
    auto products = kernel.getBody().getOps<xf::ContractOp>();
    if (products.empty())
      return kernel.emitError("a contraction kernel needs an xf.contract");
    int64_t depth = std::max<int64_t>(summedSize(*products.begin()), 1);
    return Numbers{{"across", 16},
                   {"columns", 4},
                   {"depth", depthOfPart(depth)},
                   {"down", 8},
                   {"rows", 8}};
  }
  case xf::Anchor::Attention: {
    FailureOr<int64_t> channels = channelsOf(kernel);
    if (failed(channels))
      return failure();
    // As many queries as give a block up to 256 threads.
    return Numbers{{"keys", 32},
                   {"strip", std::clamp<int64_t>(256 / *channels, 1, 8)}};
  }
  case xf::Anchor::Rows:
  case xf::Anchor::Reduction:
    return Numbers{{"lanes", 64}};
  }
  llvm_unreachable("all anchors are above");
}

static FailureOr<Numbers> scheduleOf(xf::KernelOp kernel,
                                     const Machine &machine) {
  if (machine.isGpu)
    return scheduleOnGpu(kernel);
  switch (kernel.getAnchor()) {
  case xf::Anchor::Contraction:
    return contractionSchedule(kernel, machine);
  case xf::Anchor::Attention:
    return attentionSchedule(kernel, machine);
  case xf::Anchor::Rows:
    return Numbers{{"block", 16},
                   {"lanes", 4 * machine.vector},
                   {"vector", machine.vector}};
  case xf::Anchor::Reduction:
    return Numbers{{"columns", 4 * machine.vector},
                   {"lanes", 4 * machine.vector},
                   {"rows", 16},
                   {"vector", machine.vector}};
  }
  llvm_unreachable("all anchors are above");
}

FailureOr<DictionaryAttr> kernels::chooseSchedule(xf::KernelOp kernel,
                                                  const Machine &machine,
                                                  bool isFew) {
  bool isAttention = kernel.getAnchor() == xf::Anchor::Attention;
  FailureOr<Numbers> numbers =
      isFew && isAttention ? FailureOr(decodingSchedule(kernel, machine))
                           : scheduleOf(kernel, machine);
  if (failed(numbers))
    return failure();
  if (isFew && !isAttention)
    scheduleFewRows(*numbers);
  if (isAttention && !machine.isGpu)
    llvm::append_range(*numbers, sharedSums(kernel));
  Builder builder(kernel.getContext());
  SmallVector<NamedAttribute> entries;
  for (auto [name, number] : *numbers)
    entries.push_back(
        builder.getNamedAttr(name, builder.getI64IntegerAttr(number)));
  if (isAttention && !machine.isGpu)
    limitKeys(kernel, entries);
  return builder.getDictionaryAttr(entries);
}
