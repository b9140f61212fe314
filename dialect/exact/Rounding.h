// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nearest number of a floating-point type with fewer bits, as a double: the
// even one of two that are as near. Beyond the largest it is infinite; what is
// NaN or infinite stays so, and a zero keeps its sign.

#ifndef TRANSFOLD_DIALECT_EXACT_ROUNDING_H
#define TRANSFOLD_DIALECT_EXACT_ROUNDING_H

namespace transfold {

double roundedToFloat32(double x);
double roundedToFloat16(double x);
double roundedToBfloat16(double x);

} // namespace transfold

#endif // TRANSFOLD_DIALECT_EXACT_ROUNDING_H
