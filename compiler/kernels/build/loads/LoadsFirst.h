// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of a thread that wait for the device's memory together.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Makes a thread load all operands in memory of a run of sums before it adds
/// the first.
///
/// A loop that is unrolled for this becomes alternating loads and sums, and
/// ptxas moves few of the loads up, since it prefers few registers. Each load
/// that waits for the previous one costs a latency of the device's memory:
///
///                                     a = W[0]
///   sum += W[0] x[0]                  b = W[1]
///   sum += W[1] x[1]          →       …
///   …                                 sum += a x[0]
///                                     sum += b x[1]
///                                     …
///
/// This is exact: the same values are loaded, from memory that these statements
/// do not write. Loaded values are kept in their storage format, and there are
/// at most as many as registers can hold in addition to the sums.
class LoadsFirst : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::Block *block) override;
};

} // namespace transfold::kernels
