// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches of a buffer that a kernel streams through.

#pragma once

#include "compiler/kernels/build/loads/PrefetchSwitch.h"

#include <string>
#include <vector>

namespace transfold::kernels {

/// Prefetches the cache lines of a buffer before they are read:
///
///   … = W[ramp(i, 1, 8)]          prefetch(W + i + distance)
///                          →      … = W[ramp(i, 1, 8)]
///
/// Where prefetches are not faster (PrefetchSwitch.h), the distance is 0.
///
/// If an iteration of a loop has several loads of one line, that line is
/// prefetched once. Lines past the end of the buffer are prefetched, too:
/// prefetches do not fault.
///
/// Halide's own directive prefetches the bounding box of everything that a
/// later iteration reads. That does not help here: the fields of a block are
/// not adjacent, so that their box is most of the block, and the part of a
/// block of 32 that an iteration reads begins again in the next block.
class LoadsAhead : public PrefetchPass {
public:
  /// `distance` is in bytes.
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
  /// The first elements of the loads in the current iteration of a loop.
  std::vector<Halide::Expr> known;

  /// Returns `stmt`, preceded by the prefetches for the new lines that `value`
  /// loads.
  Halide::Internal::Stmt behindPrefetches(const Halide::Expr &value,
                                          const Halide::Internal::Stmt &stmt);
};

} // namespace transfold::kernels
