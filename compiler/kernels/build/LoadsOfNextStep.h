// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSOFNEXTSTEP_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSOFNEXTSTEP_H

#include <Halide.h>

#include <optional>
#include <set>
#include <string>

namespace transfold::kernels {

/// Loads the next step's tiles while the threads of a block compute this one.
///
/// A loop over steps that fills shared memory and then reads it waits for the
/// device's memory once a step. Each thread can have the next step's loads on
/// their way meanwhile, in registers:
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
/// What is loaded is kept as it is in memory: made numbers of before it is
/// stored, so that nothing waits for it in between. This does what a second
/// copy in shared memory does, and costs registers instead. Exact: the same
/// numbers are loaded, a step earlier.
class LoadsOfNextStep : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt
  visit(const Halide::Internal::Allocate *allocate) override;
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;

private:
  /// The names of shared memory around this place.
  std::set<std::string> shared;
  /// Registers of a thread that are allocated there.
  int held = 0;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSOFNEXTSTEP_H
