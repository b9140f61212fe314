// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths that follow from others. An axis after a convolution with a stride
// has "(n + 240) div 320 - 1" positions: the name of the length is its value as
// an expression of other lengths, in normal form, so that equal lengths have
// equal names.

#pragma once

#include "base/exact/Dim.h"
#include "dialect/Dialect.h"

namespace transfold::xf {

/// The size of an axis as an expression; nullopt if its name is not one.
std::optional<Dim> getDim(mlir::Attribute axis);
/// The axis of this size.
mlir::Attribute axisOf(mlir::MLIRContext *context, const Dim &size);
/// Whether the axis is a length that follows from others.
bool isDerived(mlir::Attribute axis);

} // namespace transfold::xf
