// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   to_k(x + b_k) = from_k(x + a_k)    k = 0 … 7
//
// Copies of equally many words in one launch: a step of several sequences keeps
// a row of each, and a sequence has a block of memory of its own, which no
// other buffer reaches. As copyOfWords (CopyWordsGpu.cpp), but what is written
// has one place for all in Halide's eyes. So the last dimension of a target has
// its place 1 where it begins: its stride is where, and not its end.
//
// Whoever has less than eight gives the last one again: the same words go to
// the same place twice.
//
// Schedule for a GPU. A thread copies a word of each, so that eight loads are
// under way. ptxas counts 32 registers for sm_90.

#include "compiler/kernels/schedule/Schedules.h"
#include "runtime/program/Program.h"

using namespace Halide;

namespace transfold::kernels {

Algorithm severalCopiesOfWords(const std::string &name) {
  Algorithm algorithm;
  algorithm.name = name;
  Var x("x"), place("place"), block("block"), thread("thread");
  std::vector<Expr> words;
  for (int k = 0; k < TRANSFOLD_COPIES; ++k) {
    ImageParam from(Int(32), 2, "from" + std::to_string(k));
    from.dim(0).set_min(0).set_stride(1);
    from.dim(1).set_min(0).set_stride(1);
    words.push_back(from(x, from.dim(1).extent() - 1));
    algorithm.arguments.push_back(from);
  }
  algorithm.result = Func(name + "_result");
  algorithm.result(x, place) = Tuple(words);
  std::vector<OutputImageParam> targets = algorithm.result.output_buffers();
  // All have the bounds of the first, in Halide's eyes.
  targets[0].dim(0).set_min(0);
  targets[0].dim(1).set_min(0);
  algorithm.result.bound(place, targets[0].dim(1).extent() - 1, 1)
      .split(x, block, thread, 256, TailStrategy::GuardWithIf)
      .gpu_blocks(block)
      .gpu_threads(thread);
  return algorithm;
}

} // namespace transfold::kernels
