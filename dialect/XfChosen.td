// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that were chosen: what is multiplied with zero in all others need be
// computed for these alone.

#ifndef TRANSFOLD_DIALECT_XFCHOSEN_TD
#define TRANSFOLD_DIALECT_XFCHOSEN_TD

include "XfOpBase.td"

def Xf_RankOp : Xf_Op<"rank", [Pure, Xf_Rows, Xf_OwnGaugeLaw,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "how many entries, from the first to this one, are not zero";
  let description = [{
    A row is chosen where its rank is larger than that of the row before. Rows of
    several sequences are counted through: ranks are read by xf.pick and xf.spread
    alone, which undo each other.

    ```mlir
    %r = xf.rank %g : <n>    // [0.3, 0, 0, 0.7] → [1, 1, 1, 2]
    ```
  }];
  let arguments = (ins Xf_Real:$input);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Xf_PickOp : Xf_Op<"pick", [Pure, Xf_Rows, Xf_OwnGaugeLaw]> {
  let summary = "the rows that are chosen, one behind the other";
  let description = [{
    How many there are is known when the program runs: the last rank. The length
    of the result begins here.

    ```mlir
    %x_e = xf.pick %x by %r : <n, 64>, <n> -> <chosen0, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$ranks);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = [{
    $input `by` $ranks attr-dict `:` type($input) `,` type($ranks) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Xf_SpreadOp : Xf_Op<"spread", [Pure, Xf_Rows, Xf_OwnGaugeLaw,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "rows that were picked, where they were; zeros elsewhere";
  let description = [{
    ```mlir
    %y = xf.spread %y_e by %r : <chosen0, 64>, <n>    // <n, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$ranks);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$input `by` $ranks attr-dict `:` type($input) `,` type($ranks)";
}

#endif // TRANSFOLD_DIALECT_XFCHOSEN_TD
