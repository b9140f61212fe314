// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_DIALECT_XFOPS_TD
#define TRANSFOLD_DIALECT_XFOPS_TD

include "XfStructure.td"
include "XfArithmetic.td"
include "XfSelection.td"
include "XfPositions.td"
include "XfFamilies.td"
include "XfChosen.td"

#endif // TRANSFOLD_DIALECT_XFOPS_TD
