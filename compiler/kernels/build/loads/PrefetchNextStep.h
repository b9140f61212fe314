// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double buffering of a block's tiles in registers.

#pragma once

#include <Halide.h>

#include <optional>
#include <set>
#include <string>

namespace transfold::kernels {

/// Loads the tiles of the next step while the threads of a block compute this
/// one.
///
/// A loop over steps that fills shared memory and then reads it waits for the
/// device's memory once in each step. Each thread can issue the loads of the
/// next step in the meantime and hold the values in registers:
///
///                                      ahead = load(first)
///   for step                           for step
///     tile[…] = widened(load(step))      tile[…] = widened(ahead)
///     barrier                            barrier
///                               →        if there is one more
///                                          ahead = load(step + 1)
///     sum += tile[…] …                   sum += tile[…] …
///     barrier                            barrier
///
/// Loaded values are held in their storage format and are converted only before
/// they are stored, so that nothing waits for them in between. This has the
/// effect of a second copy in shared memory, and costs registers instead. It is
/// exact: the same values are loaded, one step earlier.
class PrefetchNextStep : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt
  visit(const Halide::Internal::Allocate *allocate) override;
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;

private:
  /// The names of the allocations of shared memory that enclose the current
  /// statement.
  std::set<std::string> shared;
  /// The number of registers of a thread that enclosing allocations take.
  int held = 0;
};

} // namespace transfold::kernels
