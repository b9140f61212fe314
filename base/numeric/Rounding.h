// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to floating-point types with fewer bits, returned as a double: round
// to nearest, ties to even. Values beyond the largest finite one become
// infinite; NaN and infinities are unchanged, and a zero keeps its sign.

#pragma once

namespace transfold {

/// `x` rounded to float32.
double roundedToFloat32(double x);
/// `x` rounded to float16.
double roundedToFloat16(double x);
/// `x` rounded to bfloat16.
double roundedToBfloat16(double x);

} // namespace transfold
