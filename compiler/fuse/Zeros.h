// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are zero where xf.top did not choose: what is multiplied with
// them need not be computed. Recognised from what keeps zeros (ZeroPreserving),
// not from the form in which a router is written.

#ifndef TRANSFOLD_COMPILER_FUSE_ZEROS_H
#define TRANSFOLD_COMPILER_FUSE_ZEROS_H

#include "dialect/Dialect.h"

namespace transfold::fuse {

/// Whether xf.top chooses which entries of `value` are not zero.
bool isZeroUnlessChosen(mlir::Value value);

/// Whether the positions of `axis` are what it chooses among: all that `value`
/// has at one of them is zero for a row that does not choose it.
bool isChosenAlong(mlir::Value value, unsigned axis);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_ZEROS_H
