// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_ENDOFLISTS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_ENDOFLISTS_H

#include <Halide.h>

namespace transfold::kernels {

/// Blocks of threads whose rows are behind the end of a list do nothing.
///
///   for blocks (e, r)                    for blocks (e, r)
///     for threads                          for threads
///       for step                      →      for step < (begins ? steps : 0)
///         … loads, sums, barriers …            … loads, sums, barriers …
///       barrier                              barrier
///       y[…] = listed(…, list[e, …])         if begins
///                                              y[…] = …
///
/// where begins = list[e, 64 r] >= 0: where rows of the block begin, which is
/// where all loops within it begin. That is the same for all threads of a
/// block, and so they all come to the same barriers. Those that stand in no
/// loop stay without a condition: PoCL crashes where one is behind a condition
/// that it must read from memory. Throws std::runtime_error where several
/// places of a block differ.
class EndOfLists : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_ENDOFLISTS_H
