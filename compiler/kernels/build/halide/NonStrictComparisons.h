// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons that OpenCL can express.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Replaces strict comparisons by ordinary ones, as late as Halide permits.
///
/// For OpenCL, Halide turns vectors of booleans into masks of integers, but
/// does not treat the result of a strict comparison in this way. Ordinary
/// comparisons are printed as OpenCL C, whose compilers must preserve their
/// results for NaN. Halide's own simplification rules, which do not preserve
/// them, have run before.
class NonStrictComparisons : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Expr visit(const Halide::Internal::Call *call) override;
};

} // namespace transfold::kernels
