// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   inMemory(slot, n, h, p) = maximum, sum and mixture of part p of 64 keys
//   made(c, n, h)           = the parts joined, one after the other
//   result(c, n, h)         = made(c, n, h) · factor / sum(n, h)
//
// (MixtureOnline.cpp.) Small-M schedule for a GPU. In strips, a row would be
// one of the 32 of its block, and there would be a block for each head. Here a
// block of 64 threads has a part of 64 keys and one head of keys and values,
// and serves the `shared` heads of queries that share it, `rows` rows of each,
// up to 16 together. Keys, values and queries are read once:
//
//   scores     a key a thread, with a sum for each row and head in registers;
//              in steps of 32 channels, which are in shared memory: 64 · 36
//              values, of which four of each key are unused, so that eight
//              neighbors that load four values of their keys access all banks
//   weights    64 for each row and head, a key a thread
//   mixture    a channel in 64 a thread, for each row and head; in steps of 32
//              keys of v
//
// Keys and values are loaded along channels, four values a thread and lines of
// 128 bytes a key. A step has 8 KiB of keys or, with 128 channels, 16 KiB of
// values in flight; 3.3 TB/s (H100) are 20 KiB in a latency of 0.8 µs for each
// multiprocessor, on which the blocks of sm_90 below have 64 KiB and more.
//
// Registers that ptxas counts, none spilled, for one row and for up to 16:
//
//   channels  heads that share   registers   shared KiB   blocks (sm_80, sm_90)
//         64                 1      70, 96   17.3, 21.1         8, 12;  7, 10
//         64                 4      80, 96   18.0, 21.1         8, 11;  7, 10
//        128                 1     124, 96   25.5, 33.1          6, 8;   4, 6
//        128                 4     118, 96   27.0, 33.1          5, 8;   4, 6
//
// Shared memory limits the number of blocks: values of a step, scores and
// weights. For a single row, the data of the next step is in flight in
// registers (PrefetchNextStep.h).
//
// A second kernel joins the parts: a block for each row and head, a group of
// channels a thread, 32 registers. From each part it reads (channels + 2 ·
// groups) · rows · shared values, compared to 2 · 64 · channels of keys and
// values.

#include "compiler/kernels/schedule/gpu/AttentionOnlineGpu.h"

#include "compiler/kernels/schedule/gpu/BlockOfThreads.h"

#include <numeric>

using namespace Halide;

namespace transfold::kernels {

namespace {
/// A block, and the loop `level` inside which its functions are computed.
struct Block : BlockOfThreads {
  int keys, rows, shared, step;
  LoopLevel level = {};

  /// Holds all of a function (…, row, …, head, …) of the block.
  void hold(Func function, const Var &row, const Var &head, MemoryType memory) {
    function.compute_at(level)
        .store_in(memory)
        .bound_extent(row, rows)
        .bound_extent(head, shared);
  }

  /// Assigns the loops `inner`, and then all rows and heads, to thread `own`;
  /// the loops `outer` are around the threads.
  template <typename Part>
  void onThreads(Part part, const Var &row, const Var &head, const Var &own,
                 const std::vector<VarOrRVar> &inner,
                 const std::vector<VarOrRVar> &outer) const {
    std::vector<VarOrRVar> order{row, head};
    order.insert(order.end(), inner.begin(), inner.end());
    order.emplace_back(own);
    order.insert(order.end(), outer.begin(), outer.end());
    part.reorder(order).unroll(row).unroll(head).gpu_threads(own);
  }
};
} // namespace

// The queries of a block: (row, channel, head).
static void loadQueries(Func queries, int channels, Block &block) {
  Var row = queries.args()[0], channel = queries.args()[1],
      head = queries.args()[2], all("all"), round("round");
  block.hold(queries, row, head, MemoryType::GPUShared);
  queries.reorder_storage(channel, row, head)
      .bound_extent(channel, channels)
      .reorder(channel, row, head)
      .fuse(channel, row, all)
      .fuse(all, head, all)
      .split(all, round, block.thread, block.threads(),
             TailStrategy::GuardWithIf)
      .gpu_threads(block.thread);
}

// Loads the channels that a thread multiplies at a time from shared memory
// (place, channel, head) into registers.
static void readAhead(Func shared, Func sum, int channels, LoopLevel level) {
  Func own = shared.in(sum);
  std::vector<Var> arguments = own.args();
  Var place = arguments[0], channel = arguments[1];
  own.compute_at(level)
      .store_in(MemoryType::Register)
      .bound_extent(channel, channels)
      .reorder_storage(channel, place)
      .reorder(channel, place)
      .vectorize(channel)
      .unroll(place);
  for (size_t other = 2; other < arguments.size(); ++other)
    own.unroll(arguments[other]);
}

// The scores of a block: a key for each thread, channels in steps.
static void scheduleScores(const Algorithm &algorithm, Block &block) {
  const Contraction &scores = algorithm.contractions[0];
  Func stored = algorithm.online->scores, sum = scores.sum;
  Var key = stored.args()[0], row = stored.args()[1], head = stored.args()[2];
  for (Func function : {stored, sum}) {
    block.hold(function, row, head,
               function.name() == sum.name() ? MemoryType::Register
                                             : MemoryType::GPUShared);
    function.bound_extent(key, block.keys);
    block.onThreads(function, row, head, key, {}, {});
  }
  const int channels = static_cast<int>(scores.byChannels.channels),
            step = std::gcd(block.step, channels),
            some = std::gcd(step, lanesOfLoad);
  RVar outer("step"), inner("k"), one("one");
  Stage update = sum.update();
  update.split(scores.over.x, outer, inner, step)
      .split(inner, inner, one, some)
      .unroll(one);
  block.onThreads(update, row, head, key, {one, inner}, {outer});
  Func queries = scores.device.tileOfRows, keys = scores.device.tileOfColumns;
  loadQueries(queries, channels, block);
  Var place = keys.args()[0], channel = keys.args()[1];
  keys.bound_extent(place, block.keys)
      .bound_extent(channel, step)
      .reorder_storage(channel, place)
      .align_storage(channel, step + lanesOfLoad);
  block.loadTogether(keys, channel, place, step, block.keys * step,
                     LoopLevel(sum, outer));
  readAhead(keys, sum, some, LoopLevel(sum, inner));
  readAhead(queries, sum, some, LoopLevel(sum, inner));
}

// The reduction of the rows of a part: partial results (row, lane, head, part),
// and one total for each row.
static void scheduleReduction(Func partial, Func total,
                              const OnlineAttention &online, Block &block) {
  Var row = partial.args()[0], lane = partial.args()[1],
      head = partial.args()[2], all("all");
  const auto *width = online.across.x.extent().as<Internal::IntImm>();
  block.hold(partial, row, head, MemoryType::GPUShared);
  partial.bound_extent(lane, static_cast<int>(width->value));
  block.hold(total, row, head, MemoryType::GPUShared);
  auto onLanes = [&](auto stage, const std::vector<VarOrRVar> &inner) {
    stage.fuse(row, head, all).fuse(lane, all, all);
    std::vector<VarOrRVar> order = inner;
    order.emplace_back(all);
    stage.reorder(order).gpu_threads(all);
  };
  onLanes(partial, {});
  onLanes(partial.update(), {online.blocks.x});
  auto onRows = [&](auto stage, const std::vector<VarOrRVar> &inner) {
    stage.fuse(row, head, all);
    std::vector<VarOrRVar> order = inner;
    order.emplace_back(all);
    stage.reorder(order).gpu_threads(all);
  };
  onRows(total, {});
  onRows(total.update(), {online.across.x});
}

// The mixture of a block: a group of channels for each thread, keys in steps.
static void scheduleMixture(const OnlineAttention &online, Block &block) {
  Func mixture = online.mixture, values = online.tileOfValues;
  Var group = mixture.args()[0], row = mixture.args()[1],
      head = mixture.args()[2];
  block.hold(mixture, row, head, MemoryType::Register);
  mixture.bound_extent(group, online.groups);
  block.onThreads(mixture, row, head, group, {}, {});
  RVar outer("step"), inner("key");
  const int channels = online.groups * online.channelsOfGroup,
            step = std::gcd(block.step, online.keysOfPart);
  Stage update = mixture.update();
  update.split(online.keys.x, outer, inner, step);
  block.onThreads(update, row, head, group, {inner}, {outer});
  values.bound_extent(values.args()[0], channels)
      .bound_extent(values.args()[1], step);
  block.loadTogether(values, values.args()[0], values.args()[1], channels,
                     channels * step, LoopLevel(mixture, outer));
}

// The results that a block stores for the kernel that joins the parts.
static LoopLevel scheduleBlocks(const OnlineAttention &online,
                                const Block &block) {
  Func memory = online.inMemory;
  std::vector<Var> arguments = memory.args();
  Var slot = arguments[0], row = arguments[1], head = arguments[2],
      part = arguments[3], own("own"), rows("rows"), heads("heads"),
      group("group");
  memory.compute_root()
      .bound_extent(slot, online.groups * (online.channelsOfGroup + 2))
      .split(slot, own, group, online.groups)
      .split(row, rows, row, block.rows, TailStrategy::RoundUp)
      .split(head, heads, head, block.shared)
      .reorder(own, row, head, group, rows, heads, part)
      .unroll(own)
      .unroll(row)
      .unroll(head)
      .gpu_threads(group)
      .gpu_blocks(rows, heads, part);
  return {memory, rows};
}

// The kernel that joins the parts and computes the result.
static void scheduleJoin(const OnlineAttention &online, int64_t channels,
                         Func result, const AttentionLoops &loops) {
  Var own("own"), group("group");
  result
      .split(loops.channel, own, group, online.groups,
             online.tailOfGroups(channels))
      .reorder(own, group, loops.row, loops.head)
      .unroll(own)
      .gpu_threads(group)
      .gpu_blocks(loops.row, loops.head);
  Func made = online.made;
  Var ofMade = made.args()[0];
  made.compute_at(result, loops.row)
      .store_in(MemoryType::Register)
      .bound_extent(ofMade, online.groups)
      .gpu_threads(ofMade);
  Stage update = made.update();
  update.reorder(online.parts.x, ofMade).gpu_threads(ofMade);
}

/// The kernel that joins the parts first, since Halide's loops are described
/// from the consumer to the producer.
void scheduleAttentionInPartsOnGpu(Algorithm &algorithm,
                                   const Schedule &schedule) {
  AttentionLoops loops = splitHeads(algorithm);
  const OnlineAttention &online = *algorithm.online;
  Block block{{online.keysOfPart, 1},
              online.keysOfPart,
              schedule.get(Parameter::Rows),
              schedule.get(Parameter::Shared),
              schedule.get(Parameter::Step)};
  scheduleJoin(online, algorithm.contractions[1].columns, algorithm.result,
               loops);
  block.level = scheduleBlocks(online, block);
  scheduleMixture(online, block);
  Func weights = online.weights;
  Var row = weights.args()[0], key = weights.args()[1],
      head = weights.args()[2];
  block.hold(weights, row, head, MemoryType::GPUShared);
  weights.bound_extent(key, block.keys).reorder_storage(row, head, key);
  block.onThreads(weights, row, head, key, {}, {});
  scheduleReduction(online.lanesOfMaximum, online.maximum, online, block);
  scheduleReduction(online.lanesOfSum, online.sum, online, block);
  scheduleScores(algorithm, block);
  // An expensive bias is computed once for each distance, for all blocks.
  for (Func &bias : algorithm.distances)
    onAllThreads(bias, block.threads());
}

} // namespace transfold::kernels
