// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines which values are zero where xf.topk_mask did not choose: values
// that are multiplied with them need not be computed. The analysis follows
// zero-preserving operations (ZeroPreserving) and does not depend on how a
// router is written.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::fuse {

/// Whether entries of `value` can be nonzero only where xf.topk_mask chose.
bool isZeroUnlessChosen(mlir::Value value);

/// Whether xf.topk_mask chooses among the positions of `axis`: all entries of
/// `value` at a position are zero for a row that does not choose it.
bool isChosenAlong(mlir::Value value, unsigned axis);

} // namespace transfold::fuse
