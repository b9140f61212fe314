// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of doubles for devices that have them for floats only.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Replaces functions of doubles by arithmetic, for devices that lack them.
///
/// Positions are computed in double (algorithm/tensor/Definition.cpp). Vulkan
/// has sine, cosine, powers, exponentials and logarithms of float only; and
/// Halide 21 writes constants of double into SPIR-V with the bits of a float.
class DoubleFunctions : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Expr visit(const Halide::Internal::Call *call) override;
  Halide::Expr visit(const Halide::Internal::FloatImm *number) override;
};

} // namespace transfold::kernels
