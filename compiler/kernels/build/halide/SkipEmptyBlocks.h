// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread blocks without work, for lists whose length only the device knows.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Makes thread blocks whose rows are past the end of a list do nothing.
///
///   for blocks (e, r)                    for blocks (e, r)
///     for threads                          for threads
///       for step                      →      for step < (begins ? steps : 0)
///         … loads, sums, barriers …            … loads, sums, barriers …
///       barrier                              barrier
///       y[…] = listed(…, list[e, …])         if begins
///                                              y[…] = …
///
/// where begins = list[e, 64 r] >= 0, the entry of the first row of the block,
/// at which all loops within it begin. The condition is the same for all
/// threads of a block, so all of them reach the same barriers. Barriers outside
/// of loops stay unconditional: PoCL crashes if a barrier depends on a
/// condition that must be read from memory. Throws std::runtime_error if a
/// block has several different entries.
class SkipEmptyBlocks : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;
};

} // namespace transfold::kernels
