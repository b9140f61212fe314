// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls in place of the loops over the sums of a thread, for the matrix
// instructions of a GPU's tensor cores.

#pragma once

#include "compiler/kernels/build/halide/PassWithLets.h"

#include <string>
#include <vector>

namespace transfold::kernels {

/// The functions that stand for one instruction with four results: the first
/// has the operands and returns result 0; the others return results 1 to 3 of
/// the last such instruction (FragmentInstructions.h).
constexpr const char *multiplyFragmentsName = "transfold_multiply_fragments",
                     *nextOfFragmentsName = "transfold_next_of_fragments";

/// Replaces the sums over the words of a step, which each thread computes for
/// its own rows and columns, by instructions that the threads of a warp execute
/// together:
///
///   for word < 16, lane < 4, half < 2, side < 2
///     sum[c, n] += dot(x[n, word], w[c, word])
///   where thread (quad, eighth) has n = 8 side + eighth
///                               and c = 8 quad + 4 half + lane
///
///   →  for s < 2                                      8 words each
///        a[side, h] = x[8 side + eighth, 8 s + 2 quad + h]      h < 2
///        b[lane, h] = w[4 eighth + lane, 8 s + 2 quad + h]
///        for lane < 4
///          sum[lane, ·] = mma(a, b[lane], sum[lane, ·])
///
/// mma.m16n8k16 takes from thread (quad, eighth) the values of two rows and of
/// one column at its words `quad` and `quad + 4`; it returns to it the sums of
/// these rows at the columns 2 quad and 2 quad + 1, here `half`. Which word of
/// the eight has which of these numbers is the same for both operands, and does
/// not matter; the numbers here make words of a thread adjacent. The order of
/// additions is that of the instruction.
///
/// Throws std::runtime_error if the loops have another form.
class FragmentCalls : public PassWithLets {
protected:
  using PassWithLets::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;

private:
  /// The loops of threads around the current statement, the innermost last.
  std::vector<std::string> threads;
};

} // namespace transfold::kernels
