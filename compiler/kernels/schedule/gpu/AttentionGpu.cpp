// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   scores(m, n, h)  = Σ_c q(c, h, n) k(c, h, m)
//   weights(m, n, h) = 2^((scores - max over m) · scale · log₂ e)
//   result(c, h, n)  = (Σ_m weights(m, n, h) v(c, h, m)) / Σ_m weights(m, n, h)
//
// Schedule for a GPU, for attentions that AttentionOnlineGpu.cpp does not
// support: values without channels. A block is a strip of up to 8 queries of
// one head. Its scores and weights for all keys are as long as the sequence, so
// they are in the device's memory and pass through its caches: twice strip · m
// values. The threads are `keys` keys for each query, then a lane for each
// query, then a channel of the result for each query.

#include "compiler/kernels/schedule/gpu/AttentionOnlineGpu.h"

using namespace Halide;

namespace transfold::kernels {

/// For values that several blocks read and that are expensive to compute.
void onAllThreads(Func stage, int threads) {
  std::vector<Var> outer = stage.args();
  Var block("block"), thread("thread");
  stage.compute_root()
      .split(outer[0], block, thread, threads, TailStrategy::RoundUp)
      .gpu_threads(thread);
  outer[0] = block;
  // A grid has up to three dimensions.
  while (outer.size() > 3) {
    Var last = outer.back();
    outer.pop_back();
    stage.fuse(outer.back(), last, outer.back());
  }
  stage.reorder(thread, outer[0]);
  if (outer.size() == 1)
    stage.gpu_blocks(outer[0]);
  else if (outer.size() == 2)
    stage.gpu_blocks(outer[0], outer[1]);
  else
    stage.gpu_blocks(outer[0], outer[1], outer[2]);
}

// One sum at a time, in a register.
static void scheduleSum(Func sum, LoopLevel inner) {
  sum.compute_at(inner).store_in(MemoryType::Register);
  for (const Var &argument : sum.args())
    sum.bound_extent(argument, 1);
}

/// Selects the form: in parts, online, or with stored scores.
void scheduleAttentionOnGpu(Algorithm &algorithm, const Schedule &schedule) {
  if (algorithm.online && algorithm.online->inMemory.defined())
    return scheduleAttentionInPartsOnGpu(algorithm, schedule);
  if (algorithm.online)
    return scheduleOnlineAttention(algorithm, schedule);
  auto [c, h, n] = splitHeads(algorithm);
  const Contraction &scores = algorithm.contractions[0];
  const Contraction &mixture = algorithm.contractions[1];
  int channels = static_cast<int>(mixture.columns);
  int keys = schedule.get(Parameter::Keys);
  int strip = std::clamp(256 / std::max(channels, keys), 1, 8);

  Func result = algorithm.result;
  Var strips("strips"), row("row");
  result.split(n, strips, row, strip, TailStrategy::GuardWithIf)
      .reorder(c, row, strips, h)
      .gpu_blocks(strips, h)
      .gpu_threads(c, row);
  // In the shared memory of a block: the result may join the heads.
  Func mixed = mixture.value;
  mixed.compute_at(result, strips)
      .bound_extent(mixed.args()[0], channels)
      .bound_extent(mixed.args()[1], strip)
      .gpu_threads(mixed.args()[0], mixed.args()[1]);
  scheduleSum(mixture.sum, LoopLevel(mixed, mixed.args()[0]));

  auto alongKeys = [&](Func stage) {
    Var key = stage.args()[0], query = stage.args()[1];
    Var outer("outer"), thread("thread");
    stage.compute_at(result, strips)
        .store_in(MemoryType::Heap)
        .split(key, outer, thread, keys, TailStrategy::RoundUp)
        .reorder(outer, thread, query)
        .gpu_threads(thread, query);
    return LoopLevel(stage, outer);
  };
  for (Func &stage : algorithm.rows)
    alongKeys(stage);
  // Expensive operations on pairs are computed once, for all blocks: a bias for
  // each distance, and rotated keys and queries.
  for (Func &bias : algorithm.distances)
    onAllThreads(bias, keys);
  for (Func made : {scores.byChannels.queries, scores.panels})
    if (made.defined())
      onAllThreads(made, keys);
  scheduleRowStagesOnGpu(algorithm, LoopLevel(result, strips), true);
  scheduleSum(scores.sum, alongKeys(scores.value));
}

} // namespace transfold::kernels
