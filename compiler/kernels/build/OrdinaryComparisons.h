// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_ORDINARYCOMPARISONS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_ORDINARYCOMPARISONS_H

#include <Halide.h>

namespace transfold::kernels {

/// Makes strict comparisons ordinary ones, as late as Halide lets anybody.
///
/// For OpenCL, Halide turns vectors of truths into masks of integers, and does
/// not know that a strict comparison makes one. Its ordinary comparisons are
/// printed as OpenCL C, whose compilers must keep what they are for NaN.
/// Halide's own rules, which need not, have run before.
class OrdinaryComparisons : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Expr visit(const Halide::Internal::Call *call) override;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_ORDINARYCOMPARISONS_H
