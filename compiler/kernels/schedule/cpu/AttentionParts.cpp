// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention of a decode step: few queries, many keys.
// algorithm/attention/AttentionParts.cpp has the equations.
//
// Schedule. A step is as fast as keys and values are read from memory, so each
// is read once, from its original place: nothing is packed. In a cache all
// heads of a position are adjacent, so tasks are parts of `part` keys of all
// heads and iterate over the positions in order: one stream, which processors
// prefetch. (Head by head, with strides, the same reads took twice as long.)
// First all scores are computed, a value for each key and head, then with their
// maximum the weights and mixtures of each part; the data of a task's part fits
// into the first-level cache.
//
// The `shared` heads of queries that read the same heads of keys are computed
// together. With 64 channels, 3 such heads and 8 sums across, a key is 8
// vectors for 24 multiply-adds and 3 sums across a vector, some 6 operations
// each. A value is 4 vectors, and 12 multiply-adds with sums that are loaded
// and stored again: at a store each cycle, 256 bytes in 12 cycles, more than
// memory delivers.
//
// The maximum, and the sums over parts, are a few thousand values: the calling
// thread computes them.

#include "compiler/kernels/schedule/Schedules.h"

using namespace Halide;

namespace transfold::kernels {

// The sums of a key for the heads that share it, in registers: its lanes, and
// the successive halves of them.
static void scheduleLanes(const Contraction &scores, Var group, int shared) {
  auto inRegisters = [&](Func stage, size_t head) {
    stage.compute_at(scores.value, group)
        .store_in(MemoryType::Register)
        .bound_extent(stage.args()[head - 2], 1)
        .bound_extent(stage.args()[head + 1], 1)
        .bound_extent(stage.args()[head], shared)
        .unroll(stage.args()[head]);
  };
  inRegisters(scores.total, 2);
  int width = 1 << scores.byChannels.halves.size();
  for (int lanes = width; Func half : scores.byChannels.halves) {
    lanes /= 2;
    inRegisters(half, 3);
    half.bound_extent(half.args()[0], lanes);
    if (lanes > 1)
      half.vectorize(half.args()[0], lanes);
  }
  Func sum = scores.sum;
  Var lane = sum.args()[0], head = sum.args()[3];
  inRegisters(sum, 3);
  Stage update = sum.bound_extent(lane, width)
                     .update()
                     .reorder(lane, head, scores.over.x)
                     .unroll(head)
                     .unroll(scores.over.x);
  if (width > 1) {
    sum.vectorize(lane, width);
    update.vectorize(lane, width);
  }
}

// The input of the softmax, for all parts before any is read: scores, and the
// operations between them and the softmax, such as a bias.
static void scheduleScores(Algorithm &algorithm, const PartsOfKeys &parts,
                           int vector, int shared) {
  Func all = parts.scores;
  const Contraction &scores = algorithm.contractions[0];
  Func value = scores.value;
  Var row = all.args()[1];
  Var group("group"), member("member");
  std::vector<RVar> keys = keysOf(value);
  Stage products = value.update()
                       .allow_race_conditions()
                       .split(value.args()[2], group, member, shared)
                       .reorder(member, group, keys[0], keys[1])
                       .unroll(member);
  scheduleLanes(scores, group, shared);
  all.compute_root()
      .bound(all.args()[0], 0, parts.keys)
      .bound(all.args()[2], 0, static_cast<int>(parts.heads));
  if (all.name() == value.name())
    products.reorder(group, keys[0], keys[1], row, parts.part)
        .never_partition(parts.part)
        .parallel(parts.part);
  else
    value.compute_at(all, row);
  // The weights are the last element of `rows`.
  for (size_t k = 0; k + 1 < algorithm.rows.size(); ++k) {
    Func stage = algorithm.rows[k];
    RVar key = keysOf(stage)[0];
    Stage update = stage.update()
                       .allow_race_conditions()
                       .vectorize(key, vector)
                       .unroll(key);
    if (stage.name() != all.name())
      stage.compute_at(all, row);
    else
      update.reorder(stage.args()[2], row, parts.part)
          .never_partition(parts.part)
          .parallel(parts.part);
  }
  for (Func &bias : algorithm.distances)
    bias.compute_at(all, parts.part);
}

// The results of a task for its part: weights, their sum, and a mixture.
static void scheduleParts(Algorithm &algorithm, int vector, int shared) {
  const Contraction &mixture = algorithm.contractions[1];
  const PartsOfKeys &parts = *algorithm.partsOfKeys;
  int channels = static_cast<int>(mixture.columns);
  int chunk = chunkOf(Axis{mixture.columns, ""}, vector);
  Func made = parts.made;
  Var madeChannel = made.args()[0], row = made.args()[1];
  made.compute_root()
      .bound(made.args()[2], 0, static_cast<int>(parts.heads))
      .bound_extent(madeChannel, channels)
      .reorder(madeChannel, made.args()[2], row, parts.part)
      .never_partition(parts.part)
      .vectorize(madeChannel, chunk)
      .parallel(parts.part);
  Func sum = mixture.sum;
  Var channel = sum.args()[0], group("group"), member("member");
  sum.compute_at(made, row)
      .store_in(MemoryType::Stack)
      .bound_extent(channel, channels)
      .vectorize(channel, chunk)
      .update()
      .split(sum.args()[2], group, member, shared)
      .reorder(channel, member, group, mixture.over.x, mixture.over.y)
      .vectorize(channel, chunk)
      .unroll(channel)
      .unroll(member);
  LoopLevel ofRow(made, row);
  for (Func weights : {algorithm.rows.back(), mixture.prepared}) {
    if (!weights.defined())
      continue; // there are no pairs
    RVar key = keysOf(weights)[0];
    weights.compute_at(ofRow)
        .update()
        .allow_race_conditions()
        .vectorize(key, vector)
        .unroll(key);
  }
  scheduleRowReduction(algorithm.rowReductions[1], vector, ofRow, false);
}

// The results over all parts.
static void scheduleTotals(Algorithm &algorithm, const AttentionLoops &loops,
                           int vector) {
  const Contraction &mixture = algorithm.contractions[1];
  int chunk = chunkOf(Axis{mixture.columns, ""}, vector);
  for (Func stage :
       {algorithm.partsOfKeys->total, algorithm.partsOfKeys->inverse})
    stage.compute_root();
  Func all = mixture.total;
  Var channel = all.args()[0];
  algorithm.result.reorder(loops.channel, loops.head, loops.row)
      .vectorize(loops.channel, chunk);
  all.compute_at(algorithm.result, loops.head)
      .store_in(MemoryType::Register)
      .bound_extent(channel, static_cast<int>(mixture.columns))
      .vectorize(channel, chunk)
      .unroll(channel)
      .update()
      .reorder(channel, mixture.parts.x)
      .vectorize(channel, chunk)
      .unroll(channel);
}

/// Three stages at the root: scores and their maximum, results of parts,
/// totals. Each is complete before the next begins, since a weight needs the
/// maximum of all parts.
void scheduleAttentionInParts(Algorithm &algorithm, const Schedule &schedule) {
  AttentionLoops loops = splitHeads(algorithm);
  const Contraction &scores = algorithm.contractions[0];
  const PartsOfKeys &parts = *algorithm.partsOfKeys;
  int vector = schedule.get(Parameter::Vector),
      shared = schedule.get(Parameter::Shared);
  if (parts.made.dimensions() != 4 || parts.heads % shared)
    throw std::runtime_error("attention in parts has heads, in groups of " +
                             std::to_string(shared));
  if (Func queries = scores.byChannels.queries; queries.defined())
    queries.compute_root().vectorize(
        queries.args()[0],
        chunkOf(Axis{scores.byChannels.channels, ""}, vector));
  scheduleScores(algorithm, parts, vector, shared);
  scheduleRowReduction(algorithm.rowReductions[0], vector, LoopLevel::root(),
                       false);
  scheduleParts(algorithm, vector, shared);
  scheduleTotals(algorithm, loops, vector);
}

} // namespace transfold::kernels
