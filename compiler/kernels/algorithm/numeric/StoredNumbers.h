// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How kernels read and write the elements of a buffer: one record for each
// storage format.

#pragma once

#include "dialect/Dialect.h"

#include <Halide.h>

namespace transfold::kernels {

/// The storage of one format.
struct StoredNumbers {
  /// Type of an element of the buffer; the host passes the same (#xf.storage).
  Halide::Type type;
  /// The value of an element, as kernels compute with it.
  Halide::Expr (*widened)(const Halide::Expr &place);
  /// The value `slot` of the two in one element of 32 bits, the first in its
  /// lower half; null if rows of this format are not interleaved.
  Halide::Expr (*ofPair)(const Halide::Expr &pair,
                         const Halide::Expr &slot) = nullptr;
  /// The element that stores a value; null if kernels do not write this format.
  Halide::Expr (*stored)(const Halide::Expr &number) = nullptr;
  /// Elements are bfloat16.
  bool areBfloats = false;
};

/// The record of a format. On a device float16 is stored as bits, since the
/// device may lack such a type.
const StoredNumbers &storedNumbers(xf::Format format, bool isOnDevice);
/// The record of tokens, indices and lengths.
const StoredNumbers &storedIntegers();

} // namespace transfold::kernels
