// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   largest(c, n) = max_{x of piece c} (order(logits(x, n)), -x)
//
// The argmax of a row of logits for greedy sampling, so that the row itself
// stays on the device: for each piece of 4096 values the largest and, among
// equal ones, the first. A pair is one integer of 64 bits, whose order is that
// of pairs:
//
//   bits 63 … 32   the value, as an integer in the order of floats
//   bits 31 … 0    2^32 - 1 - x
//
// The bits of a non-negative float are in its order already; those of a
// negative one are inverted below the sign. -0 equals 0, as in the host's
// comparison, and NaN is above all other values, so that it is noticed. The
// host finishes the reduction, one value for each piece
// (runtime/program/device/Device.cpp).
//
// This is exact: bits are compared, nothing is computed from them.
//
// Schedule for a GPU. A block is a piece, so that a row of 150 000 is 37
// blocks. Each of 256 threads compares 16 values, which it loads 256 apart: the
// 32 loads of a warp are a line of 128 bytes. In shared memory 16 threads then
// compare 16 values each, and one thread the rest. A thread needs two registers
// for the largest value so far and one for each load in flight; ptxas counts 46
// for sm_90.

#include "compiler/kernels/schedule/Schedules.h"
#include "runtime/program/Program.h"

using namespace Halide;

namespace transfold::kernels {

static constexpr int fanIn = 16, threads = 256;
static_assert(
    fanIn * threads == TRANSFOLD_LARGEST_OF,
    "a thread compares 16 numbers, and a block's threads are 16 · 16");
static_assert(threads == fanIn * fanIn);

/// The bits of a float as an integer of the same order.
static Expr inOrder(const Expr &bits) {
  const Expr magnitude = bits & 0x7fffffff;
  return select(magnitude > 0x7f800000, INT32_MAX, // NaN
                magnitude == 0, 0, bits ^ ((bits >> 31) & 0x7fffffff));
}

/// The largest of 16 values.
template <typename At> static Expr largestOf(At at) {
  Expr largest = at(0);
  for (int k = 1; k < fanIn; ++k)
    largest = max(largest, at(k));
  return largest;
}

/// The functions of a thread, of 16 threads and of a block, each the maximum of
/// 16 values of the one before.
Algorithm largestOfRows(const std::string &name) {
  Algorithm algorithm;
  algorithm.name = name;
  ImageParam logits(Int(32), 3, "logits");
  algorithm.arguments.push_back(logits);
  Var piece("piece"), row("row"), thread("thread"), block("block"), one("one");
  // Positions past the end repeat the last one.
  auto pairAt = [&](const Expr &place) {
    Expr x = min(place, logits.dim(0).extent() - 1);
    Expr bits = logits(x, row, logits.dim(2).extent() - 1);
    return cast<int64_t>(inOrder(bits)) << 32 |
           cast<int64_t>(~cast<uint32_t>(x));
  };
  Func ofThread(name + "_thread"), ofGroup(name + "_group");
  ofThread(thread, piece, row) = largestOf([&](int k) {
    return pairAt(piece * TRANSFOLD_LARGEST_OF + k * threads + thread);
  });
  ofGroup(thread, piece, row) = largestOf(
      [&](int k) { return ofThread(thread * fanIn + k, piece, row); });
  algorithm.result = Func(name + "_result");
  algorithm.result(piece, row) =
      largestOf([&](int k) { return ofGroup(k, piece, row); });

  logits.dim(0).set_min(0).set_stride(1);
  logits.dim(1).set_min(0).set_stride(logits.dim(0).extent());
  logits.dim(2).set_min(0).set_stride(1);
  OutputImageParam result = algorithm.result.output_buffer();
  result.dim(0).set_min(0).set_stride(1);
  result.dim(1).set_min(0).set_stride(result.dim(0).extent());
  algorithm.result.split(piece, block, one, 1)
      .gpu_blocks(block, row)
      .gpu_threads(one);
  ofThread.compute_at(algorithm.result, block).gpu_threads(thread);
  ofGroup.compute_at(algorithm.result, block).gpu_threads(thread);
  return algorithm;
}

} // namespace transfold::kernels
