// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   to_k(x + b_k) = from_k(x + a_k)    k = 0 … 7
//
// Copies the same number of words between several pairs of buffers in one
// launch: a step of several sequences keeps a row of each, and each sequence
// has a block of memory of its own, which no other buffer can address. Like
// copyOfWords (CopyWordsGpu.cpp), but Halide assumes the same place for all
// targets. So place 1 of the last dimension of a target is the offset at which
// it begins: the offset is the stride of that dimension, and not its end.
//
// A caller with fewer than eight copies repeats the last one: the same words
// are written to the same place twice.
//
// Schedule for a GPU. A thread copies a word of each pair, so that eight loads
// are in flight. ptxas counts 32 registers for sm_90.

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
  // Halide assumes that all targets have the bounds of the first.
  targets[0].dim(0).set_min(0);
  targets[0].dim(1).set_min(0);
  algorithm.result.bound(place, targets[0].dim(1).extent() - 1, 1)
      .split(x, block, thread, 256, TailStrategy::GuardWithIf)
      .gpu_blocks(block)
      .gpu_threads(thread);
  return algorithm;
}

} // namespace transfold::kernels
