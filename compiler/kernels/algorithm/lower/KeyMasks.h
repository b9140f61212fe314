// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which keys a query attends to, as Halide expressions.

#pragma once

#include "compiler/kernels/algorithm/attention/KeyPieces.h"
#include "compiler/kernels/algorithm/tensor/Softmax.h"
#include "dialect/positions/Mask.h"

namespace transfold::kernels {

/// The mask as a conjunction of linear comparisons of query i and key j; row r
/// is query first + r. Null if there is no mask.
Mask maskOf(xf::MaskAttr attribute, const Halide::Expr &first);

/// The results of an affine map of a first and a last query, combined by
/// `join`; null if the map has no results. Row r is query start + r. Calling
/// the bound throws std::runtime_error if the map is not linear.
KeyBound boundOf(mlir::Attribute attribute, const Halide::Expr &start,
                 Halide::Expr (*join)(Halide::Expr, Halide::Expr));

} // namespace transfold::kernels
