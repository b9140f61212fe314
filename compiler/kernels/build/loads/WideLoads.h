// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of whole words from a device's memory.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Loads adjacent values of 8 and 16 bits from a device's memory as whole
/// words.
///
/// Halide's code for CUDA loads four 32-bit values at once if they begin at a
/// multiple of 16 bytes, and splits all other vectors: eight 16-bit values
/// become eight loads of two bytes, each of which occupies the load unit as
/// much as one of 16 bytes does.
///
///   W[ramp(8 i, 1, 8)] : uint16x8
///   →
///   reinterpret<uint16x8>(W'[ramp(4 i, 1, 4)] : uint32x4)
///
/// where W' is the same memory. This is exact: the same bytes are loaded.
/// Vectors whose first element is not known to begin at such a multiple are not
/// changed.
class WideLoads : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Expr visit(const Halide::Internal::Load *load) override;
};

} // namespace transfold::kernels
