// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of attentions. Those that decide how sums are computed (`keys`,
// `part`, `across`, `dot`) are the same for all forms of a kernel on a machine,
// so that a row has the same bits in a prompt and in a decode step.

#include "compiler/kernels/algorithm/lower/AttentionOps.h"
#include "compiler/kernels/schedule/choose/Choices.h"
#include "compiler/kernels/schedule/choose/FewRows.h"
#include "compiler/kernels/schedule/choose/StoredOperands.h"
#include "dialect/positions/Mask.h"

#include <array>
#include <numeric>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// The number of channels of a head, from the mixture: operations that follow
// may join the heads.
static FailureOr<int64_t> channelsOf(xf::KernelOp kernel) {
  std::optional<AttentionOps> attention = findAttention(kernel);
  if (!attention)
    return kernel.emitError("attention is two products around a softmax");
  auto channels = xf::getNumber(attention->mixture.getType().getShape().back());
  if (!channels)
    return kernel.emitError("the channels of attention are a number");
  return *channels;
}

// Whether the keys and values of an attention are the same for all heads.
static bool haveNoHeads(xf::KernelOp kernel) {
  AttentionOps attention = *findAttention(kernel);
  Attribute head = attention.weightLabels()[0];
  return xf::getShape(attention.softmax.getType()).size() == 3 &&
         !llvm::is_contained(attention.isMixtureTurned()
                                 ? attention.mixture.getLhsLabels()
                                 : attention.mixture.getRhsLabels(),
                             head) &&
         llvm::any_of(std::array{attention.scores.getLhsLabels(),
                                 attention.scores.getRhsLabels()},
                      [&](ArrayAttr labels) {
                        return !llvm::is_contained(
                            labels, attention.scores.getLabels()[0]);
                      });
}

// The number of heads of queries that read the same keys and values: heads of
// keys that are repeated, or all heads if keys and values have none; at most 8.
static int64_t sharedHeads(xf::KernelOp kernel) {
  int64_t shared =
      haveNoHeads(kernel)
          ? *xf::getNumber(
                findAttention(kernel)->softmax.getType().getShape()[0])
          : 0;
  for (auto repeat : kernel.getBody().getOps<xf::RepeatOp>())
    if (repeat.getAxis() == 0)
      shared = std::gcd(shared, repeat.getTimes());
  // Up to 8 heads are computed together, so that the unrolled code stays small.
  for (int64_t several = 8; several > 1; --several)
    if (shared != 0 && shared % several == 0)
      return several;
  return 1;
}

// If a sequence continues in decode steps, its rows are computed either by
// strips of queries or a few at a time. Both must then compute the same sums:
// over parts of keys, which are tasks for all threads if queries are few and a
// cache has some hundred positions; and across the channels of a key, or pairs
// of them, in vector lanes.
static void shareSums(xf::KernelOp kernel, const Machine &machine,
                      Entries &entries) {
  const bool inPairs = machine.dot > 1 && attendsInPairs(kernel);
  if (inPairs)
    entries.set(Parameter::Dot, machine.dot);
  if (!isBesideSteps(kernel))
    return;
  entries.set(Parameter::Across, inPairs ? std::max(8, machine.vector) : 8);
  entries.set(Parameter::Part, 128);
}

// A kernel reads only those keys that the mask may let one of its rows see.
static void limitKeys(xf::KernelOp kernel, Entries &entries) {
  auto mask = findAttention(kernel)->softmax.getMask().value_or(xf::MaskAttr());
  if (!mask)
    return;
  auto [from, to] = xf::seenKeysOf(mask);
  if (from.getNumResults() != 0)
    entries.set(Parameter::KeysFrom, from);
  if (to.getNumResults() != 0)
    entries.set(Parameter::KeysTo, to);
}

FailureOr<Entries> kernels::chooseAttention(xf::KernelOp kernel,
                                            const Machine &machine) {
  FailureOr<int64_t> channels = channelsOf(kernel);
  if (failed(channels))
    return failure();
  // As many vectors of a head's channels as divide it and leave registers: the
  // accumulators are rows times vectors of channels.
  int64_t rows = machine.registers == 32 ? 8 : 6;
  int64_t chunk = machine.vector;
  while (*channels % chunk)
    chunk /= 2;
  int64_t vectors = machine.registers == 32 ? 3 : 2;
  while (*channels % (vectors * chunk))
    --vectors;
  Entries entries = {{Parameter::Channels, vectors * chunk},
                     {Parameter::Keys, 2 * machine.vector},
                     {Parameter::Rows, rows},
                     {Parameter::Strip, 2 * rows},
                     {Parameter::Unroll, 1},
                     {Parameter::Vector, machine.vector}};
  shareSums(kernel, machine, entries);
  limitKeys(kernel, entries);
  return entries;
}

// For few queries and many keys.
FailureOr<Entries> kernels::chooseAttentionOfFewRows(xf::KernelOp kernel,
                                                     const Machine &machine) {
  Entries entries = {{Parameter::Keys, 2 * machine.vector},
                     {Parameter::Shared, sharedHeads(kernel)},
                     {Parameter::Vector, machine.vector}};
  shareSums(kernel, machine, entries);
  limitKeys(kernel, entries);
  return entries;
}

// The threads of a block and their share of the work; the register arithmetic
// is in AttentionOnlineGpu.cpp.
FailureOr<Entries> kernels::chooseAttentionOnGpu(xf::KernelOp kernel,
                                                 const Machine &) {
  FailureOr<int64_t> channels = channelsOf(kernel);
  if (failed(channels))
    return failure();
  Entries entries = {{Parameter::Across, 16},
                     {Parameter::Down, 8},
                     {Parameter::Keys, 64},
                     {Parameter::Step, *channels > 256 ? 8 : 16},
                     {Parameter::Strip, *channels > 128 ? 16 : 32}};
  limitKeys(kernel, entries);
  return entries;
}

// The kernel must have heads, and queries and keys with lengths.
bool kernels::canHaveFewRowsOfAttention(xf::KernelOp kernel) {
  std::optional<AttentionOps> attention = findAttention(kernel);
  if (!attention)
    return false;
  ArrayRef<Attribute> scores = attention->softmax.getType().getShape();
  ArrayAttr weights = attention->weightLabels(),
            mixture = attention->mixture.getLabels();
  return scores.size() == 3 && xf::getNumber(scores[0]) &&
         !xf::getNumber(scores[1]) && !xf::getNumber(scores[2]) &&
         mixture.size() == 3 && mixture[0] == weights[0] &&
         mixture[1] == weights[1];
}

//===----------------------------------------------------------------------===//
// Few rows on a device: the register arithmetic is in AttentionPartsGpu.cpp
//===----------------------------------------------------------------------===//

// A thread has a key of a part. Up to 16 rows of all heads are computed
// together, if a thread then has at most 64 sums.
constexpr int64_t keysOfPart = 64, mostTogether = 16, mostSums = 64;

// The number of heads, of `all`, that have the same entries of an operand:
// repeated heads, or all if the operand has no heads.
static int64_t alikeHeads(Value operand, ArrayAttr labels, Attribute head,
                          int64_t all) {
  const auto *found = llvm::find(labels, head);
  if (found == labels.end())
    return all;
  while (auto round = operand.getDefiningOp<xf::RoundOp>())
    operand = round.getInput();
  auto repeat = operand.getDefiningOp<xf::RepeatOp>();
  return repeat && int64_t(repeat.getAxis()) == found - labels.begin()
             ? repeat.getTimes()
             : 1;
}

// The number of heads of queries for which a block has one head of keys and
// values: the largest divisor, up to `most`, of the number of heads that share
// them.
static int64_t sharedHeadsOnGpu(xf::KernelOp kernel, int64_t most) {
  AttentionOps attention = *findAttention(kernel);
  xf::ContractOp scores = attention.scores, mixture = attention.mixture;
  const int64_t all = *xf::getNumber(attention.softmax.getType().getShape()[0]);
  Attribute key = scores.getLabels().getValue().back();
  const bool isTurned = llvm::is_contained(scores.getLhsLabels(), key);
  int64_t shared =
      alikeHeads(isTurned ? scores.getLhs() : scores.getRhs(),
                 isTurned ? scores.getLhsLabels() : scores.getRhsLabels(),
                 scores.getLabels()[0], all);
  const bool valuesFirst = attention.isMixtureTurned();
  shared = std::gcd(
      shared,
      alikeHeads(valuesFirst ? mixture.getLhs() : mixture.getRhs(),
                 valuesFirst ? mixture.getLhsLabels() : mixture.getRhsLabels(),
                 attention.weightLabels()[0], all));
  while (most > 1 && shared % most)
    --most;
  return most;
}

// The rows of a block: one, or as many as make `mostTogether` rows of all its
// heads.
static FailureOr<Entries> ofRowsOnGpu(xf::KernelOp kernel, bool isOneRow) {
  FailureOr<int64_t> channels = channelsOf(kernel);
  if (failed(channels))
    return failure();
  const int64_t channelsOfThread = llvm::divideCeil(*channels, keysOfPart),
                together = std::clamp<int64_t>(mostSums / channelsOfThread, 1,
                                               mostTogether),
                shared = sharedHeadsOnGpu(kernel, together);
  Entries entries = {{Parameter::Keys, keysOfPart},
                     {Parameter::Rows, isOneRow ? 1 : together / shared},
                     {Parameter::Shared, shared},
                     {Parameter::Step, *channels > 128 ? 16 : 32}};
  limitKeys(kernel, entries);
  return entries;
}

FailureOr<Entries> kernels::chooseAttentionOfOneRowOnGpu(xf::KernelOp kernel,
                                                         const Machine &) {
  return ofRowsOnGpu(kernel, /*isOneRow=*/true);
}

FailureOr<Entries> kernels::chooseAttentionOfFewRowsOnGpu(xf::KernelOp kernel,
                                                          const Machine &) {
  return ofRowsOnGpu(kernel, /*isOneRow=*/false);
}

// The heads must be those of the first product, and the number of channels must
// be known, so that each thread has some of them.
bool kernels::canHaveFewRowsOfAttentionOnGpu(xf::KernelOp kernel) {
  if (!canHaveFewRowsOfAttention(kernel))
    return false;
  AttentionOps attention = *findAttention(kernel);
  return attention.scores.getType().getShape() ==
             attention.softmax.getType().getShape() &&
         xf::getNumber(attention.mixture.getType().getShape().back());
}
