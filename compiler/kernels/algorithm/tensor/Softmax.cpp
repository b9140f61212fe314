// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of a softmax for one entry and one row; the loops are those of
// its users.

#include "compiler/kernels/algorithm/tensor/Softmax.h"

#include "compiler/kernels/algorithm/numeric/HalideMath.h"

using namespace Halide;

namespace transfold::kernels {

/// The last two axes are queries and keys.
Entry Softmax::seenBy(const Mask &mask) {
  if (!mask)
    return nullptr;
  return [=](const Indices &i) { return mask(i[i.size() - 2], i.back()); };
}

Expr Softmax::compared(const Indices &i, const Expr &x, const Expr &end,
                       const Expr &nothing) const {
  Expr seen = isSeen ? Halide::select(isSeen(i), x, nothing) : x;
  return end.defined() ? Halide::select(likely(i.back() < end), seen, nothing)
                       : seen;
}

// Weights keep NaN, whatever the maximum is.
Expr Softmax::weight(const Indices &i, const Expr &x, const Expr &maximum,
                     const Expr &end) const {
  Expr weight = exp2OfNonPositive((x - maximum) * exponent);
  if (isRounded)
    weight = widenedBfloat16(bfloat16Of(weight));
  if (end.defined())
    weight = Halide::select(likely(i.back() < end), weight, 0.0f);
  return isSeen ? Halide::select(isSeen(i), weight, 0.0f) : weight;
}

// The sink is added to the sum of a row once, relative to its maximum, as the
// weights are. If the sink is far above that, the row is nearly 0.
Expr Softmax::inverse(const Indices &row, const Expr &sum,
                      const Expr &maximum) const {
  if (!sink)
    return factor / sum;
  Indices member(row.begin(), row.begin() + sink->axes.size());
  return factor / (sum + exp2OfFloat((sink->at(member) - maximum) * exponent));
}

} // namespace transfold::kernels
