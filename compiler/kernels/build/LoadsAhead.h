// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSAHEAD_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSAHEAD_H

#include <Halide.h>

#include <string>
#include <vector>

namespace transfold::kernels {

/// Asks for a buffer's cache lines before they are read:
///
///   … = W[ramp(i, 1, 8)]          prefetch(W + i + distance)
///                          →      … = W[ramp(i, 1, 8)]
///
/// where a round of a loop has several loads of one line, once. What lies
/// behind the end of a buffer is asked for too: prefetches do not fault.
///
/// Halide's own directive asks for the box of all that a later round reads.
/// That is no help here: fields of a block lie apart, so their box is most of
/// the block, and what a round reads of a block of 32 starts again in the next.
class LoadsAhead : public Halide::Internal::IRMutator {
public:
  /// `distance` in bytes.
  LoadsAhead(std::string buffer, int distance)
      : buffer(std::move(buffer)), distance(distance) {}

protected:
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;
  Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *let) override;
  Halide::Internal::Stmt visit(const Halide::Internal::Store *store) override;

private:
  std::string buffer;
  int distance;
  /// Where loads of this round of a loop begin, in elements.
  std::vector<Halide::Expr> known;

  Halide::Internal::Stmt behindPrefetches(const Halide::Expr &value,
                                          const Halide::Internal::Stmt &stmt);
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSAHEAD_H
