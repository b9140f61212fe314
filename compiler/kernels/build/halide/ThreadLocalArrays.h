// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a compiler for GPUs can keep in registers.

#pragma once

#include "compiler/kernels/build/halide/PassWithLets.h"

namespace transfold::kernels {

/// Gives each thread of a block an allocation of its own registers.
///
/// A function that is kept in registers while a block executes several loops of
/// threads is allocated outside of these loops. Halide then gives each thread
/// room for the values of the whole block, of which it uses those at its own
/// place:
///
///   allocate sum[8192]                      for threads (y, x)
///   for threads (y, x)                        allocate sum[64]
///     sum[ramp(y·1024 + x·4, 1, 4)] = …   →   sum[ramp(0, 1, 4)] = …
///     sum[ramp(y·1024 + x·4 + 64, …)] = …     sum[ramp(4, 1, 4)] = …
///
/// A compiler for GPUs keeps an array in registers only if all of its indices
/// are constants. All indices of a thread differ by constants from its first
/// one: the pass numbers them consecutively. Throws std::runtime_error if they
/// do not.
class ThreadLocalArrays : public PassWithLets {
protected:
  using PassWithLets::visit;
  Halide::Internal::Stmt
  visit(const Halide::Internal::Allocate *allocate) override;
};

} // namespace transfold::kernels
