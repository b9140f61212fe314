// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all operations have in common: the base class, and the traits that
// passes query instead of listing operations.

#ifndef TRANSFOLD_DIALECT_XFOPBASE_TD
#define TRANSFOLD_DIALECT_XFOPBASE_TD

include "dialect/XfTypes.td"
include "dialect/XfAttributes.td"
include "dialect/XfInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Xf_Op<string mnemonic, list<Trait> traits = []>
    : Op<Xf_Dialect, mnemonic, traits>;

// Elementwise: each element of the result depends on one element of each
// operand.
def Xf_Pointwise : NativeOpTrait<"Pointwise"> {
  let cppNamespace = "::transfold::xf";
}

// Each row (last axis) of the result depends only on the same row of the
// operand.
def Xf_RowWise : NativeOpTrait<"RowWise"> {
  let cppNamespace = "::transfold::xf";
}

// Where the first operand is zero, so is the result; for a product, where
// either operand is zero. 0 · ∞ is not considered.
def Xf_ZeroPreserving : NativeOpTrait<"ZeroPreserving"> {
  let cppNamespace = "::transfold::xf";
}

// Counts through the rows of all sequences: row k of an operand or of the result
// is not row k of the sequence that a kernel runs for.
def Xf_ChosenRows : NativeOpTrait<"ChosenRows"> {
  let cppNamespace = "::transfold::xf";
}

// Axes by their labels, [i, n, c]. In a rearrangement, axes that are split or
// merged are groups of labels: [n, (i c)].
defvar Xf_Labels = StrArrayAttr;
def Xf_Groups : TypedArrayAttrBase<StrArrayAttr, "groups of labels">;

#endif // TRANSFOLD_DIALECT_XFOPBASE_TD
