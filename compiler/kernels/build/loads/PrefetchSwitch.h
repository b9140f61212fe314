// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that add prefetches. A kernel asks the runtime once a call whether
// prefetches are faster on this processor (runtime/kernels/Prefetches.h).

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// A lowering pass that adds prefetches to the body of a kernel:
///
///   let prefetches = transfold_prefetches() in body
class PrefetchPass : public Halide::Internal::IRMutator {
public:
  /// Called by Halide with the body of the kernel.
  Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &stmt) override;
  using IRMutator::mutate;

protected:
  /// 1 if the kernel should prefetch, otherwise 0.
  Halide::Expr prefetchSwitch();

private:
  bool isInside = false, isUsed = false;
};

} // namespace transfold::kernels
