// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   made(c, n) = online softmax over parts p of 64 keys     AttentionOnline.cpp
//   result(c, n, h) = made(c, n) · factor / sum(n)
//
// Schedule for a GPU. A block of 16 × 8 threads is a strip of 32 queries of one
// head (16 if a head has more than 128 channels), and iterates over the parts
// of the keys that the mask lets the strip see. For each part
//
//   scores     a tile of 64 keys and 32 rows: 4 × 4 sums a thread in registers,
//              in steps of 16 channels of q and k that the threads load
//              together
//   weights    64 · 32 values, 16 a thread
//   mixture    16 groups of channels and 8 of rows: with 64 channels 4 × 4 sums
//              a thread, with 128 8 × 4; in steps of 16 keys of v
//
// and the results of the previous parts that a thread holds, with the maximum
// and sum of its row, take further registers: for 128 channels (8 + 2) · 4 in
// addition to 8 · 4. Shared memory holds scores, 64 · 36 values (four unused
// ones keep stores of neighbors in different banks), weights, 64 · 32, the
// steps, 16 · 36, 16 · 68 and 16 · channels, and 4 · 32 partial maxima and
// sums; buffers that are not live together share memory. With the loads of the
// next step in flight (PrefetchNextStep.h) ptxas counts 91, 99, 138 and 166
// registers for 32, 64, 128 and 256 channels, none spilled: five, four, three
// and three blocks on a multiprocessor, with 19 to 25 KiB each. Nothing of the
// size of a sequence is stored, except for rotated keys and queries: these are
// computed once, for all blocks.

#include "compiler/kernels/schedule/gpu/AttentionOnlineGpu.h"

#include "compiler/kernels/schedule/gpu/BlockOfThreads.h"

#include <numeric>

using namespace Halide;

namespace transfold::kernels {

namespace {
// A thread block with `rows` rows of a strip and `keys` keys of a part.
struct Block : BlockOfThreads {
  int rows, keys;
  LoopLevel strip = {}, part = {};

  int rowsOfThread() const { return rows / down; }
};
} // namespace

// An operand of a step, (place, channel, …), loaded together along one of the
// two.
static void loadTogether(Func operand, const Block &block, int places,
                         int channels, bool alongPlaces, LoopLevel step) {
  Var place = operand.args()[0], channel = operand.args()[1];
  operand.bound_extent(place, places).bound_extent(channel, channels);
  block.loadTogether(operand, alongPlaces ? place : channel,
                     alongPlaces ? channel : place,
                     alongPlaces ? places : channels, places * channels, step);
}

// The partial results and the total of a reduction of rows, within a part.
static void scheduleReduction(Func reduced, Func total, const RDom &blocks,
                              const RDom &across, const Block &block) {
  Var n = reduced.args()[0], lane = reduced.args()[1];
  const int width = across.x.extent().as<Internal::IntImm>()->value;
  reduced.compute_at(block.part)
      .store_in(MemoryType::GPUShared)
      .bound_extent(n, block.rows)
      .bound_extent(lane, width);
  block.spread(reduced, n, lane, block.rows * width);
  block.spread(reduced.update(), n, lane, block.rows * width, {blocks.x});
  total.compute_at(block.part)
      .store_in(MemoryType::GPUShared)
      .bound_extent(n, block.rows);
  auto onRows = [&](auto stage, const std::vector<VarOrRVar> &inner) {
    stage.split(n, block.rowThread, block.thread, block.across);
    std::vector<VarOrRVar> order = inner;
    order.insert(order.end(), {block.thread, block.rowThread});
    stage.reorder(order).gpu_threads(block.thread, block.rowThread);
  };
  onRows(total, {});
  onRows(total.update(), {across.x});
}

// The scores of a part, from tiles of sums in registers.
static void scheduleScores(const Algorithm &algorithm, const Block &block,
                           int step) {
  const Contraction &scores = algorithm.contractions[0];
  Func stored = algorithm.online->scores, sum = scores.sum;
  Var key = stored.args()[0], n = stored.args()[1], own("key"), row("row");
  auto inTile = [&](auto stage, const std::vector<VarOrRVar> &inner,
                    const std::vector<VarOrRVar> &outer) {
    stage.split(key, block.thread, own, block.keys / block.across)
        .split(n, block.rowThread, row, block.rowsOfThread());
    std::vector<VarOrRVar> order{row, own};
    order.insert(order.end(), inner.begin(), inner.end());
    order.insert(order.end(), {block.thread, block.rowThread});
    order.insert(order.end(), outer.begin(), outer.end());
    stage.reorder(order).unroll(row).unroll(own).gpu_threads(block.thread,
                                                             block.rowThread);
  };
  for (Func function : {stored, sum})
    function.compute_at(block.part)
        .reorder_storage(n, key)
        .bound_extent(key, block.keys)
        .bound_extent(n, block.rows);
  stored.store_in(MemoryType::GPUShared)
      .align_storage(n, block.rows + lanesOfLoad);
  inTile(stored, {}, {});
  sum.store_in(MemoryType::Register);
  inTile(sum, {}, {});
  RVar outer("step"), inner("k");
  const int channels = static_cast<int>(scores.byChannels.channels);
  step = std::gcd(step, channels);
  Stage update = sum.update();
  update.split(scores.over.x, outer, inner, step);
  inTile(update, {inner}, {outer});
  LoopLevel level(sum, outer);
  Func rows = scores.device.tileOfRows, columns = scores.device.tileOfColumns;
  rows.align_storage(rows.args()[0], block.rows + lanesOfLoad);
  columns.align_storage(columns.args()[0], block.keys + lanesOfLoad);
  loadTogether(rows, block, block.rows, step, false, level);
  loadTogether(columns, block, block.keys, step, false, level);
}

// The elements of `function`, a tuple with arguments (group, row, …), of one
// thread: rows, and a group of channels. Loops `inner` are inside a thread,
// `outer` around it.
template <typename Part>
static void ofThread(Part part, Func function, const Block &block,
                     const std::vector<VarOrRVar> &inner,
                     const std::vector<VarOrRVar> &outer) {
  std::vector<Var> arguments = function.args();
  Var row("row");
  part.split(arguments[1], block.rowThread, row, block.rowsOfThread());
  std::vector<VarOrRVar> order{row};
  order.insert(order.end(), inner.begin(), inner.end());
  order.insert(order.end(), {arguments[0], block.rowThread});
  order.insert(order.end(), outer.begin(), outer.end());
  order.insert(order.end(), arguments.begin() + 2, arguments.end());
  part.reorder(order).unroll(row).gpu_threads(arguments[0], block.rowThread);
}

// The mixture of a part and the joined results, both in registers.
static void scheduleMixture(const OnlineAttention &online, const Block &block,
                            int step) {
  for (const auto &[function, level] :
       {std::pair(online.made, block.strip), {online.mixture, block.part}}) {
    Func held = function;
    held.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(held.args()[0], online.groups)
        .bound_extent(held.args()[1], block.rows);
    ofThread(held, held, block, {}, {});
  }
  Func made = online.made, mixture = online.mixture;
  ofThread(made.update(), made, block, {}, {online.parts.x});
  RVar outer("step"), inner("key");
  Stage update = mixture.update();
  step = std::gcd(step, online.keysOfPart);
  update.split(online.keys.x, outer, inner, step);
  ofThread(update, mixture, block, {inner}, {outer});
  loadTogether(online.tileOfValues, block,
               online.groups * online.channelsOfGroup, step, true,
               LoopLevel(mixture, outer));
}

/// A block is a strip of queries of one head and iterates over the parts of
/// keys; the results of earlier parts stay in registers.
void scheduleOnlineAttention(Algorithm &algorithm, const Schedule &schedule) {
  auto [c, h, n] = splitHeads(algorithm);
  const OnlineAttention &online = *algorithm.online;
  // One part at a time. For a part that the mask hides, Halide infers that it
  // may be empty, and would allocate shared memory of a size that the host
  // computes.
  for (Func ofPart : {online.lanesOfMaximum, online.maximum, online.weights,
                      online.lanesOfSum, online.sum, online.mixture})
    ofPart.bound_extent(ofPart.args().back(), 1);
  Block block{{schedule.get(Parameter::Across), schedule.get(Parameter::Down)},
              online.rowsOfStrip,
              online.keysOfPart};
  Func result = algorithm.result;
  Var strips("strips"), row("row"), own("own"), group("group");
  result.split(n, strips, row, block.rows, TailStrategy::GuardWithIf)
      .split(row, block.rowThread, row, block.rowsOfThread())
      .split(c, group, own, online.channelsOfGroup,
             online.tailOfGroups(algorithm.contractions[1].columns))
      .reorder(own, row, group, block.rowThread, strips, h)
      .unroll(own)
      .unroll(row)
      .gpu_threads(group, block.rowThread)
      .gpu_blocks(strips, h);
  block.strip = LoopLevel(result, strips);
  block.part = LoopLevel(online.made, online.parts.x);
  scheduleMixture(online, block, schedule.get(Parameter::Step));
  Func weights = online.weights;
  weights.compute_at(block.part)
      .store_in(MemoryType::GPUShared)
      .bound_extent(weights.args()[0], block.rows)
      .bound_extent(weights.args()[1], block.keys);
  block.spread(weights, weights.args()[0], weights.args()[1],
               block.rows * block.keys);
  scheduleReduction(online.lanesOfMaximum, online.maximum, online.blocks,
                    online.across, block);
  scheduleReduction(online.lanesOfSum, online.sum, online.blocks, online.across,
                    block);
  scheduleScores(algorithm, block, schedule.get(Parameter::Step));
  // Expensive operations on pairs or keys are computed once, for all blocks: a
  // bias for each distance, and rotated keys and queries.
  for (Func &bias : algorithm.distances)
    onAllThreads(bias, block.threads());
  const Contraction &scores = algorithm.contractions[0];
  for (const Func &made : {scores.byChannels.queries, scores.panels})
    if (made.defined())
      onAllThreads(made, block.threads());
}

} // namespace transfold::kernels
