// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   scores(m, n, h)  = Σ_c q(c, h, n) k(c, h, m)
//   weights(m, n, h) = 2^((scores - max over m) · scale · log₂ e)
//   result(c, h, n)  = (Σ_m weights(m, n, h) v(c, h, m)) / Σ_m weights(m, n, h)
//
// Schedule. Tasks are heads. The keys of a head are transposed once into panels
// of `keys` (k's vectors run along channels, scores need them along keys), and
// rotated by their position if the model does so. Then follow strips of `strip`
// queries, whose scores and weights for all keys that the strip may see are
// kept in the cache: twice strip · m values, never n · m. KeyPieces.h defines
// these keys; a causal mask leaves half of them. A bias by position has one
// value for each distance.
//
// Both products work as a contraction does: `rows` × `keys` scores, and `rows`
// × channels results in registers. With 32 registers of 16: 8 × 32 is 16
// accumulators. A score costs as many multiply-adds as a head has channels,
// twice, and about 14 other operations for the softmax: with 32 channels the
// products are at most 80 % of the time.
//
// If a sequence continues in decode steps, both products are computed as in a
// step, in parts of keys and in sums across the channels (KeyPieces.h): this
// costs an addition for every eighth multiply-add of a score, and 8 KiB of sums
// for a tile pass through the cache. An attention with 64 channels takes 8 to
// 10 % longer.

#include "compiler/kernels/schedule/Schedules.h"

using namespace Halide;

namespace transfold::kernels {

namespace {
/// A tile of sums in registers.
struct Tile {
  int columns, rows, vector;

  void hold(Func stage, LoopLevel level) const {
    stage.compute_at(level)
        .store_in(MemoryType::Register)
        .bound_extent(stage.args()[0], columns)
        .bound_extent(stage.args()[1], rows);
    unroll(stage, stage);
  }
  void unroll(Func stage, Stage part) const {
    part.vectorize(stage.args()[0], vector)
        .unroll(stage.args()[0])
        .unroll(stage.args()[1]);
  }
  /// An update that iterates over `over` with the whole tile.
  Stage add(Func stage, const RDom &over) const {
    std::vector<VarOrRVar> order{stage.args()[0], stage.args()[1]};
    for (const Internal::ReductionVariable &variable : over.domain().domain())
      order.emplace_back(RVar(variable.var));
    Stage update = stage.update().reorder(order);
    unroll(stage, update);
    return update;
  }
};
} // namespace

// Schedules tiles of sums, inside `level` of their copy. Sums in parts of keys
// are added at the end of each part; sums across channels are kept in the cache
// until all are computed.
static void scheduleProduct(const Contraction &contraction, LoopLevel level,
                            const Tile &tile, int unroll) {
  if (Func total = contraction.total; total.defined()) {
    tile.hold(total, level);
    tile.add(total, contraction.parts);
    level = LoopLevel(total, contraction.parts.x);
  }
  if (Func partials = contraction.byChannels.partials; partials.defined()) {
    partials.compute_at(level)
        .store_in(MemoryType::Stack)
        .bound_extent(partials.args()[0], tile.columns)
        .bound_extent(partials.args()[1], tile.rows);
    tile.unroll(partials, partials);
    level = LoopLevel(partials, partials.args().back());
  }
  tile.hold(contraction.sum, level);
  tile.add(contraction.sum, contraction.over)
      .unroll(contraction.over.x, unroll);
}

/// The result is stored as [rows, heads, channels], or as [rows, columns] if
/// the kernel joins the heads: then the loop over columns is split.
AttentionLoops splitHeads(Algorithm &algorithm) {
  const std::vector<Axis> &axes = algorithm.resultAxes;
  if (algorithm.contractions.size() != 2 ||
      (algorithm.rowReductions.size() != 2 && !algorithm.online) ||
      axes.size() < 2 || axes.size() > 3 || axes[0].isLength() ||
      (axes.size() == 3 && axes[1].isLength()))
    throw std::runtime_error(
        "attention is two products around a softmax, by heads");
  Func result = algorithm.result;
  Var c = result.args()[0], h = result.args()[1];
  Var n = result.args()[axes.size() - 1];
  if (axes.size() == 2) {
    // The channels of all heads are adjacent: [rows, heads · channels].
    c = Var("channel");
    h = Var("head");
    result.split(result.args()[0], h, c,
                 static_cast<int>(algorithm.contractions[1].columns),
                 TailStrategy::GuardWithIf);
  } else if (!axes[2].isLength()) {
    // Rows of known number are inside a head.
    std::swap(h, n);
  }
  return {c, h, n};
}

/// The first update of a function over keys defines all its entries
/// (KeyPieces.h).
std::vector<RVar> keysOf(Func function) { return function.rvars(0); }

// Rows over the keys of a strip, computed one block at a time.
static void scheduleOverKeys(Func rows, LoopLevel strip, int vector) {
  RVar key = keysOf(rows)[0];
  rows.compute_at(strip)
      .update()
      .allow_race_conditions()
      .vectorize(key, vector)
      .unroll(key);
}

// The mixture of a strip. Channels that do not fit into the registers are
// computed in further columns.
static void scheduleMixture(const Contraction &mixture,
                            const Schedule &schedule, LoopLevel strip,
                            LoopLevel head) {
  int width = schedule.get(Parameter::Channels),
      rows = schedule.get(Parameter::Rows);
  if (mixture.columns % width)
    throw std::runtime_error("columns of " + std::to_string(width) +
                             " channels do not divide a head");
  int chunk =
      chunkOf(Axis{mixture.columns, ""}, schedule.get(Parameter::Vector));
  Func mixed = mixture.value;
  Var panel("panel"), column("column"), tile("tile"), row("row");
  mixed.compute_at(strip)
      .split(mixed.args()[0], panel, column, width, TailStrategy::RoundUp)
      .split(mixed.args()[1], tile, row, rows, TailStrategy::RoundUp)
      .reorder(column, row, tile, panel)
      .vectorize(column, chunk)
      .unroll(column)
      .unroll(row);
  scheduleProduct(mixture, LoopLevel(mixed, tile), {width, rows, chunk},
                  schedule.get(Parameter::Unroll));
  if (Func weights = mixture.prepared; weights.defined())
    scheduleOverKeys(weights, strip, schedule.get(Parameter::Vector));
  if (Func values = mixture.panels; values.defined())
    values.compute_at(head).vectorize(values.args()[0], chunk);
}

// The scores of a strip; the panels of a head's keys are computed inside
// `head`.
static void scheduleScores(const Contraction &scores, const Schedule &schedule,
                           LoopLevel strip, LoopLevel head) {
  int vector = schedule.get(Parameter::Vector),
      rows = schedule.get(Parameter::Rows);
  int keys = schedule.get(Parameter::Keys);
  Func score = scores.value;
  std::vector<RVar> scoreKeys = keysOf(score);
  Var tile("tile"), row("row");
  score.compute_at(strip)
      .update()
      .allow_race_conditions()
      .split(score.args()[1], tile, row, rows, TailStrategy::RoundUp)
      .reorder(scoreKeys[0], row, tile, scoreKeys[1])
      .vectorize(scoreKeys[0], vector)
      .unroll(scoreKeys[0])
      .unroll(row);
  scheduleProduct(scores, LoopLevel(score, tile), {keys, rows, vector},
                  schedule.get(Parameter::Unroll));
  if (Func queries = scores.byChannels.queries; queries.defined())
    queries.compute_at(strip).vectorize(
        queries.args()[0],
        chunkOf(Axis{scores.byChannels.channels, ""}, vector));
  Func panels = scores.panels;
  Var lane = panels.args()[0];
  panels.compute_at(head)
      .bound_extent(lane, keys)
      .vectorize(lane, vector)
      .unroll(lane);
}

/// The loops from the outside in: heads, which are tasks, strips, tiles.
void scheduleAttention(Algorithm &algorithm, const Schedule &schedule) {
  if (algorithm.partsOfKeys)
    return scheduleAttentionInParts(algorithm, schedule);
  auto [c, h, n] = splitHeads(algorithm);
  const Contraction &mixture = algorithm.contractions[1];
  int vector = schedule.get(Parameter::Vector);

  Func result = algorithm.result;
  Var strips("strips"), row("row");
  result
      .split(n, strips, row, schedule.get(Parameter::Strip),
             TailStrategy::GuardWithIf)
      .reorder(c, row, strips, h)
      .never_partition(strips)
      .vectorize(c, chunkOf(Axis{mixture.columns, ""}, vector))
      .parallel(h);
  LoopLevel strip(result, strips), head(result, h);
  scheduleMixture(mixture, schedule, strip, head);
  // Weights, and scores after the operations before the softmax: a bias, a soft
  // cap.
  for (Func &rows : algorithm.rows)
    scheduleOverKeys(rows, strip, vector);
  for (Func &bias : algorithm.distances)
    bias.compute_at(head);
  scheduleRowStages(algorithm, schedule, strip, false);
  scheduleScores(algorithm.contractions[0], schedule, strip, head);
}

} // namespace transfold::kernels
