// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   to(x + b) = from(x + a)
//
// A kernel that no equation contains: it copies the results of a step that are
// kept to the caches of its sequence, after the kernels that computed them and
// without the host, whose copies wait for the device in some of Halide's
// runtimes. Words of both buffers are counted from a part of a block
// (runtime/program/Program.h); `a` and `b` are the ends of a separate
// dimension, as in all kernels. Source and target do not overlap.
//
// Schedule for a GPU. A thread copies a word, the threads of a block adjacent
// words: 256 words are 1 KiB, of which each 32 threads move a line of 128
// bytes. ptxas counts 10 registers for sm_90.

#include "compiler/kernels/schedule/Schedules.h"

using namespace Halide;

namespace transfold::kernels {

Algorithm copyOfWords(const std::string &name) {
  Algorithm algorithm;
  algorithm.name = name;
  ImageParam from(Int(32), 2, "from");
  Var x("x"), offset("offset"), block("block"), thread("thread");
  algorithm.result = Func(name + "_result");
  algorithm.result(x, offset) = from(x, from.dim(1).extent() - 1);
  algorithm.arguments.push_back(from);
  OutputImageParam to = algorithm.result.output_buffer();
  from.dim(0).set_min(0).set_stride(1);
  from.dim(1).set_min(0).set_stride(1);
  to.dim(0).set_min(0).set_stride(1);
  to.dim(1).set_min(0).set_stride(1);
  algorithm.result.bound(offset, to.dim(1).extent() - 1, 1)
      .split(x, block, thread, 256, TailStrategy::GuardWithIf)
      .gpu_blocks(block)
      .gpu_threads(thread);
  return algorithm;
}

} // namespace transfold::kernels
