// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How kernels read the numbers of an argument: one record for each format.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_STOREDNUMBERS_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_STOREDNUMBERS_H

#include "dialect/Dialect.h"

#include <Halide.h>

namespace transfold::kernels {

struct StoredNumbers {
  /// Of a place of the buffer; the host passes the same (#xf.storage).
  Halide::Type type;
  /// What a place means, as kernels compute with it.
  Halide::Expr (*widened)(const Halide::Expr &place);
  /// Two in one place of 32 bits, the first in its lower half; null where rows
  /// of such numbers are not interleaved.
  Halide::Expr (*ofPair)(const Halide::Expr &pair,
                         const Halide::Expr &slot) = nullptr;
  /// A number as the place that stores it.
  Halide::Expr (*stored)(const Halide::Expr &number) = nullptr;
  /// Places are bfloat16.
  bool areBfloats = false;
};

/// On a device float16s are bits, since it need not know such a type.
const StoredNumbers &storedNumbers(xf::Format format, bool isOnDevice);
/// Tokens, indices and lengths.
const StoredNumbers &storedIntegers();

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_STOREDNUMBERS_H
