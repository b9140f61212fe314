// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chosen rows (mixture of experts). Where the results of all other rows are
// multiplied with zero, only the chosen rows need to be computed.

#ifndef TRANSFOLD_DIALECT_XFCHOSEN_TD
#define TRANSFOLD_DIALECT_XFCHOSEN_TD

include "dialect/ops/XfOpBase.td"

def Xf_RankOp : Xf_Op<"rank", [Pure, Xf_Rows, Xf_OwnGaugeLaw,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "the number of nonzero entries, from the first to this one";
  let description = [{
    An inclusive prefix count. A row is chosen if its rank is larger than that
    of the row before. The count runs through the rows of all sequences of a
    batch: ranks are read only by xf.pick and xf.spread, which are inverse to
    each other, and, for several members that are each counted separately, by
    xf.list and xf.sum_listed.

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
  let summary = "the chosen rows, one after the other";
  let description = [{
    Compacts the chosen rows. Their count, the last rank, is known only when the
    program runs; the result therefore has a new length.

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
  let summary = "scatters picked rows to where they were; zeros elsewhere";
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
// The same for devices, where the host does not learn the count of rows
//
// Each member of a family has a list of the rows that chose it. Values of
// listed rows, <e, n, …>, have room for all rows; rows past the end of a list
// are undefined.
//===----------------------------------------------------------------------===//

def Xf_ListOp : Xf_Op<"list", [Pure, Xf_Rows,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "for each member, the rows that chose it, one after the other";
  let description = [{
    Rows are counted through all sequences. The entries after the last row are
    -1.

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
  let summary = "gathers the listed rows";
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
  let summary = "the same value; rows past the end of a list are never read";
  let description = [{
    States that the operation which computes the value need not compute more
    rows of a member than its list has. The values of the other rows are
    undefined.

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
  let summary = "for each row, the weighted sum over the members that it chose";
  let description = [{
    For row n: the sum, over each member e with a nonzero weight, of the entry
    at the row's place in the list of e, times that weight.

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
