// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_DIALECT_XFOPS_TD
#define TRANSFOLD_DIALECT_XFOPS_TD

include "dialect/ops/XfStructure.td"
include "dialect/ops/XfArithmetic.td"
include "dialect/ops/XfSelection.td"
include "dialect/ops/XfPositions.td"
include "dialect/ops/XfFamilies.td"
include "dialect/ops/XfChosen.td"

#endif // TRANSFOLD_DIALECT_XFOPS_TD
