// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_DIALECT_XFOPS_TD
#define TRANSFOLD_DIALECT_XFOPS_TD

include "dialect/XfStructure.td"
include "dialect/XfArithmetic.td"
include "dialect/XfSelection.td"
include "dialect/XfPositions.td"
include "dialect/XfFamilies.td"
include "dialect/XfChosen.td"

#endif // TRANSFOLD_DIALECT_XFOPS_TD
