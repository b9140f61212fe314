// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chosen rows (mixture of experts). Where the results of all other rows are
// multiplied with zero, only the chosen rows need to be computed.

#ifndef TRANSFOLD_DIALECT_XFCHOSEN_TD
#define TRANSFOLD_DIALECT_XFCHOSEN_TD

include "dialect/ops/XfOpBase.td"

def Xf_RunningCountOp : Xf_Op<"running_count", [Pure, Xf_Rows, Xf_ChosenRows, Xf_OwnGaugeLaw,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "the number of nonzero entries, from the first to this one";
  let description = [{
    An inclusive prefix count. A row is chosen if its rank is larger than that
    of the row before. The count runs through the rows of all sequences of a
    batch: ranks are read only by xf.compress and xf.expand, which are inverse to
    each other, and, for several members that are each counted separately, by
    xf.build_row_index and xf.scatter_add.

    ```mlir
    %r = xf.running_count %g : <n>       // [0.3, 0, 0, 0.7] → [1, 1, 1, 2]
    %R = xf.running_count %G : <n, 4>    // of each column
    ```
  }];
  let arguments = (ins Xf_Real:$input);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Xf_CompressOp : Xf_Op<"compress", [Pure, Xf_Rows, Xf_ChosenRows, Xf_OwnGaugeLaw]> {
  let summary = "the chosen rows, one after the other";
  let description = [{
    Compacts the chosen rows. Their count, the last rank, is known only when the
    program runs; the result therefore has a new length.

    ```mlir
    %x_e = xf.compress %x by %r : <n, 64>, <n> -> <chosen0, 64>
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

def Xf_ExpandOp : Xf_Op<"expand", [Pure, Xf_Rows, Xf_ChosenRows, Xf_OwnGaugeLaw,
    InferTypeOpAdaptor]> {
  let summary = "scatters picked rows to where they were; zeros elsewhere";
  let description = [{
    ```mlir
    %y = xf.expand %y_e by %r : <chosen0, 64>, <n>    // <n, 64>
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

def Xf_BuildRowIndexOp : Xf_Op<"build_row_index", [Pure, Xf_Rows, Xf_ChosenRows,
    InferTypeOpAdaptor]> {
  let summary = "for each member, the rows that chose it, one after the other";
  let description = [{
    Rows are counted through all sequences. The entries after the last row are
    -1.

    ```mlir
    %l = xf.build_row_index %R : <n, 4>    // <4, n>: ranks [1, 1, 1, 2] → [0, 3, -1, -1]
    ```
  }];
  let arguments = (ins Xf_Real:$ranks);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$ranks attr-dict `:` type($ranks)";
}

def Xf_GatherRowsOp : Xf_Op<"gather_rows", [Pure, Xf_Rows, Xf_ChosenRows,
    InferTypeOpAdaptor]> {
  let summary = "gathers the listed rows";
  let description = [{
    ```mlir
    %x_e = xf.gather_rows %x by %l : <n, 64>, <4, n>    // <4, n, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$list);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$input `by` $list attr-dict `:` type($input) `,` type($list)";
}

def Xf_BoundedByOp : Xf_Op<"bounded_by", [Pure, Xf_Rows, Xf_ChosenRows,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "the same value; rows past the end of a list are never read";
  let description = [{
    States that the operation which computes the value need not compute more
    rows of a member than its list has. The values of the other rows are
    undefined.

    ```mlir
    %z = xf.bounded_by %y by %l : <4, n, 64>, <4, n>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$list);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$input `by` $list attr-dict `:` type($input) `,` type($list)";
  let hasVerifier = 1;
}

def Xf_ScatterAddOp : Xf_Op<"scatter_add", [Pure, Xf_Rows, Xf_ChosenRows,
    AllTypesMatch<["ranks", "weights"]>,
    InferTypeOpAdaptor]> {
  let summary = "for each row, the weighted sum over the members that it chose";
  let description = [{
    For row n: the sum, over each member e with a nonzero weight, of the entry
    at the row's place in the list of e, times that weight.

    ```mlir
    %s = xf.scatter_add %z by %R times %G : <4, n, 64>, <n, 4>    // <n, 64>
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
