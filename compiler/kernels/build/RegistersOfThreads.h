// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_REGISTERSOFTHREADS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_REGISTERSOFTHREADS_H

#include <Halide.h>

#include <string>
#include <utility>
#include <vector>

namespace transfold::kernels {

/// Gives each thread of a block the registers that are its own.
///
/// A function that lives in registers while a block goes through several loops
/// of threads is allocated outside of these. Halide then gives each thread room
/// for the numbers of the whole block, of which it uses those at its own place:
///
///   allocate sum[8192]                      for threads (y, x)
///   for threads (y, x)                        allocate sum[64]
///     sum[ramp(y·1024 + x·4, 1, 4)] = …   →   sum[ramp(0, 1, 4)] = …
///     sum[ramp(y·1024 + x·4 + 64, …)] = …     sum[ramp(4, 1, 4)] = …
///
/// A compiler for GPUs makes registers of an array only where all places are
/// constants. All places of a thread differ by constants from its first: the
/// pass numbers them. Throws std::runtime_error where they do not.
class RegistersOfThreads : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt
  visit(const Halide::Internal::Allocate *allocate) override;
  Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *let) override;

private:
  /// Names within this place and their values, the innermost last.
  std::vector<std::pair<std::string, Halide::Expr>> lets;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_REGISTERSOFTHREADS_H
