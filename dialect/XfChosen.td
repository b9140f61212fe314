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
    alone, which undo each other; those of several members, each counted by itself,
    by xf.list and xf.sum_listed.

    ```mlir
    %r = xf.rank %g : <n>       // [0.3, 0, 0, 0.7] → [1, 1, 1, 2]
    %R = xf.rank %G : <n, 4>    // of each column
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

//===----------------------------------------------------------------------===//
// The same where nobody may ask how many rows there are: a device
//
// Members of a family have a list of the rows that chose them. Values of listed
// rows, <e, n, …>, have room for all rows; those behind the end of a list are
// not defined.
//===----------------------------------------------------------------------===//

def Xf_ListOp : Xf_Op<"list", [Pure, Xf_Rows,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "of each member the rows that chose it, one behind the other";
  let description = [{
    Rows of all sequences are counted through. Behind the last comes -1.

    ```mlir
    %l = xf.list %R : <n, 4>    // <4, n>: ranks [1, 1, 1, 2] → [0, 3, -1, -1]
    ```
  }];
  let arguments = (ins Xf_Real:$ranks);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$ranks attr-dict `:` type($ranks)";
}

def Xf_TakeOp : Xf_Op<"take", [Pure, Xf_Rows,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the rows that are listed";
  let description = [{
    ```mlir
    %x_e = xf.take %x by %l : <n, 64>, <4, n>    // <4, n, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$list);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$input `by` $list attr-dict `:` type($input) `,` type($list)";
}

def Xf_ListedOp : Xf_Op<"listed", [Pure, Xf_Rows,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "the same value; nobody reads it behind the end of a list";
  let description = [{
    Says that what makes the value need not make more rows of a member than its
    list has. Which numbers stand there is not defined.

    ```mlir
    %z = xf.listed %y by %l : <4, n, 64>, <4, n>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$list);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$input `by` $list attr-dict `:` type($input) `,` type($list)";
  let hasVerifier = 1;
}

def Xf_SumListedOp : Xf_Op<"sum_listed", [Pure, Xf_Rows,
    AllTypesMatch<["ranks", "weights"]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "each row's sum over the members that it chose, weighed";
  let description = [{
    Of row n and each member e whose weight is not zero, the number that stands at
    the row's place in the list of e, times the weight.

    ```mlir
    %s = xf.sum_listed %z by %R times %G : <4, n, 64>, <n, 4>    // <n, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$ranks, Xf_Real:$weights);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = [{
    $input `by` $ranks `times` $weights attr-dict `:` type($input) `,`
    type($ranks)
  }];
}

#endif // TRANSFOLD_DIALECT_XFCHOSEN_TD
