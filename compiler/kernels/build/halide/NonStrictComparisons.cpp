// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only the two strict comparisons that HalideMath.cpp uses occur.

#include "compiler/kernels/build/halide/NonStrictComparisons.h"

using namespace Halide::Internal;

namespace transfold::kernels {

Halide::Expr NonStrictComparisons::visit(const Call *call) {
  if (call->is_intrinsic(Call::strict_lt))
    return LT::make(mutate(call->args[0]), mutate(call->args[1]));
  if (call->is_intrinsic(Call::strict_eq))
    return EQ::make(mutate(call->args[0]), mutate(call->args[1]));
  return IRMutator::visit(call);
}

} // namespace transfold::kernels
