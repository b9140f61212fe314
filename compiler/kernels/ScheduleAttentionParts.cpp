// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention of a step: few queries, many keys. TensorParts.cpp has the
// equations.
//
// Schedule. A step is as fast as keys and values come from memory, so each is
// read once, where it lies: nothing is packed. In a cache all heads of a
// position lie side by side, so tasks are parts of `part` keys of all heads,
// and go through them position by position: one stream, which processors fetch
// ahead. (Head by head, in strides, the same reads took twice as long.) What a
// task makes of its part, scores, weights and mixtures, lies in the first-level
// cache.
//
// The `shared` heads of queries that read the same heads of keys come together.
// With 64 channels and 3 of them, a key is 4 vectors for 12 multiply-adds and 3
// sums across a vector, some 8 operations each. A value is 4 vectors, and 12
// multiply-adds with sums that are loaded and stored again: at a store each
// cycle, 256 bytes in 12 cycles, more than memory gives.
//
// The sums over parts are a few thousand numbers: the thread that asks makes
// them.

#include "compiler/kernels/Algorithm.h"

using namespace Halide;

namespace transfold::kernels {

static int widthOf(const RDom &domain) {
  return static_cast<int>(*Internal::as_const_int(domain.x.extent()));
}

// Scores of one row, inside of `row`.
static void scheduleScores(const Contraction &scores, LoopLevel row,
                           int shared) {
  Func value = scores.value, total = scores.total, sum = scores.sum;
  int width = widthOf(scores.parts);
  std::vector<RVar> keys = keysOf(value);
  Var group("group"), member("member");
  value.compute_at(row)
      .update()
      .allow_race_conditions()
      .split(value.args()[2], group, member, shared)
      .reorder(member, group, keys[0], keys[1])
      .unroll(member);

  Var totalHead = total.args()[2];
  total.compute_at(value, group)
      .store_in(MemoryType::Register)
      .bound_extent(total.args()[0], 1)
      .bound_extent(totalHead, shared)
      .unroll(totalHead)
      .update()
      .reorder(scores.parts.x, totalHead)
      .atomic()
      .vectorize(scores.parts.x, width)
      .unroll(totalHead);

  Var lane = sum.args()[0], sumHead = sum.args()[3];
  sum.compute_at(value, group)
      .store_in(MemoryType::Register)
      .bound_extent(lane, width)
      .bound_extent(sum.args()[1], 1)
      .bound_extent(sumHead, shared)
      .vectorize(lane, width)
      .unroll(sumHead)
      .update()
      .reorder(lane, sumHead, scores.over.x)
      .vectorize(lane, width)
      .unroll(sumHead)
      .unroll(scores.over.x);
}

void scheduleAttentionInParts(Algorithm &algorithm, const Schedule &schedule) {
  auto [c, h, n] = splitHeads(algorithm);
  const Contraction &scores = algorithm.contractions[0];
  const Contraction &mixture = algorithm.contractions[1];
  const PartsOfKeys &parts = *algorithm.partsOfKeys;
  int vector = schedule.get("vector"), shared = schedule.get("shared");
  int channels = static_cast<int>(mixture.columns);
  int chunk = chunkOf(Axis{mixture.columns, ""}, vector);
  Func made = parts.made;
  if (made.dimensions() != 4 || parts.heads % shared)
    throw std::runtime_error("attention in parts has heads, in groups of " +
                             std::to_string(shared));

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
  for (Func &stage : algorithm.rows) {
    stage.compute_at(ofRow);
    RVar key = keysOf(stage)[0];
    stage.update().allow_race_conditions().vectorize(key, vector).unroll(key);
  }
  scheduleRowStages(algorithm, schedule, ofRow, false);
  scheduleScores(scores, ofRow, shared);
  for (Func &bias : algorithm.distances)
    bias.compute_at(made, parts.part);
  if (Func queries = scores.queries; queries.defined())
    queries.compute_root().vectorize(
        queries.args()[0], chunkOf(Axis{scores.channels, ""}, vector));

  // Of all parts.
  for (Func stage : {parts.largest, parts.share, parts.total, parts.inverse})
    stage.compute_root();
  Func all = mixture.total;
  Var allChannel = all.args()[0];
  algorithm.result.reorder(c, h, n).vectorize(c, chunk);
  all.compute_at(algorithm.result, h)
      .store_in(MemoryType::Register)
      .bound_extent(allChannel, channels)
      .vectorize(allChannel, chunk)
      .unroll(allChannel)
      .update()
      .reorder(allChannel, mixture.parts.x)
      .vectorize(allChannel, chunk)
      .unroll(allChannel);
}

} // namespace transfold::kernels
