// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths that no argument has: the counts of rows that are chosen when the
// program runs (xf.compress).

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>

namespace transfold::host {

/// Maps each of these lengths to the length of the rows that are chosen from,
/// which is never smaller.
llvm::DenseMap<mlir::Attribute, mlir::Attribute>
sourcesOfLengths(xf::EntryOp entry);

} // namespace transfold::host
