// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families whose members come from different places, and the choice of some
// members: experts.

#ifndef TRANSFOLD_DIALECT_XFFAMILIES_TD
#define TRANSFOLD_DIALECT_XFFAMILIES_TD

include "dialect/ops/XfOpBase.td"

def Xf_StackOp : Xf_Op<"stack", [Pure, Xf_Rows, Xf_GaugesAgree, SameTypeOperands,
    InferTypeOpAdaptor]> {
  let summary = "stacks the members of a family along a new first axis";
  let description = [{
    ```mlir
    %W = xf.stack %W_0, %W_1 : (!xf.real<64, 112>, !xf.real<64, 112>)
           -> !xf.real<2, 64, 112>
    ```
  }];
  let arguments = (ins Variadic<Xf_Real>:$members);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$members attr-dict `:` functional-type($members, $result)";
}

def Xf_TopKMaskOp : Xf_Op<"topk_mask", [Pure, Xf_Rows, Xf_OwnGaugeLaw,
    AllTypesMatch<["input", "result"]>]> {
  let summary =
      "1 where an entry is one of the `count` largest of its row, else 0";
  let description = [{
    Of equal entries, those that come first are chosen.

    ```mlir
    %T = xf.topk_mask 2 of %Z : <n, 8>
    ```
  }];
  let arguments = (ins I64Attr:$count, Xf_Real:$input);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$count `of` $input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // TRANSFOLD_DIALECT_XFFAMILIES_TD
