// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which keys a query sees, as Halide expressions.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_KEYMASKS_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_KEYMASKS_H

#include "compiler/kernels/algorithm/KeyPieces.h"
#include "compiler/kernels/algorithm/Softmax.h"
#include "dialect/Mask.h"

namespace transfold::kernels {

/// Linear comparisons of query i and key j; row r is query first + r. Null
/// where there is no mask.
Mask maskOf(xf::MaskAttr attribute, const Halide::Expr &first);

/// All results of an affine map of a first and a last query, joined by `join`;
/// null where it has none. Row r is query start + r. The bound that is made
/// throws std::runtime_error where the map is not linear.
KeyBound boundOf(mlir::Attribute attribute, const Halide::Expr &start,
                 Halide::Expr (*join)(Halide::Expr, Halide::Expr));

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_KEYMASKS_H
