// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection and order of elements: no arithmetic.

#ifndef TRANSFOLD_DIALECT_XFSELECTION_TD
#define TRANSFOLD_DIALECT_XFSELECTION_TD

include "dialect/ops/XfOpBase.td"

def Xf_GatherOp : Xf_Op<"gather", [Pure, Xf_RowsOrSequences, Xf_OwnGaugeLaw,
    InferTypeOpAdaptor]> {
  let summary = "rows of a table: E[tokens]";
  let arguments = (ins Xf_Real:$table, Xf_Integer:$rows);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$table `` `[` $rows `]` attr-dict `:` type($table) `,` type($rows)";
}

def Xf_SliceOp : Xf_Op<"slice", [Pure, Xf_RowsOrSequences, Xf_GaugesAgree,
    Xf_ShiftLaw, Xf_GainLaw, Xf_ZeroPreserving]> {
  let summary = "consecutive positions of one axis from an offset: P[:n]";
  let description = [{
    With `first`, the slice begins at position first + offset.

    ```mlir
    %p = xf.slice %P axis 0 from 2 : <512, 64> -> <n, 64>
    %q = xf.slice %P axis 0 from 2 behind %first : <512, 64> -> <n, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Optional<Xf_Position>:$first, I64Attr:$axis,
                       I64Attr:$offset);
  let results = (outs Xf_Real:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$input,
                                 "uint64_t":$axis, "uint64_t":$offset), [{
    build($_builder, $_state, type, input, ::mlir::Value(), axis, offset);
  }]>];
  let assemblyFormat = [{
    $input `axis` $axis `from` $offset (`behind` $first^)? attr-dict `:` type($input)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def Xf_SelectOp : Xf_Op<"select", [Pure, Xf_RowsOrSequences, Xf_GaugesAgree,
    Xf_ShiftLaw, Xf_GainLaw,
    InferTypeOpAdaptor, Xf_ZeroPreserving]> {
  let summary = "one position of one axis, which is removed: x[0]";
  let description = "A negative position counts from the end.";
  let arguments = (ins Xf_Real:$input, I64Attr:$axis, I64Attr:$position);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$input `axis` $axis `at` $position attr-dict `:` type($input)";
}

def Xf_RearrangeOp : Xf_Op<"rearrange", [Pure, Xf_Rows, Xf_GaugesAgree,
    Xf_ShiftLaw, Xf_GainLaw, Xf_ZeroPreserving]> {
  let summary = "reorders, splits or merges axes";
  let description = [{
    ```mlir
    %heads  = xf.rearrange %y[n, (i c)] -> [i, n, c]
                : <n, 384> -> <12, n, 32>
    %joined = xf.rearrange %heads[i, n, c] -> [n, (i c)]
                : <12, n, 32> -> <n, 384>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Groups:$from, Xf_Groups:$to);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = [{
    $input `` custom<Groups>($from) `->` custom<Groups>($to) attr-dict `:`
    type($input) `->` type($result)
  }];
  let hasFolder = 1; // It changes nothing, or undoes another one.
  let hasVerifier = 1;
}

def Xf_RepeatOp : Xf_Op<"repeat", [Pure, Xf_RowsOrSequences, Xf_GaugesAgree,
    Xf_ShiftLaw, Xf_GainLaw,
    InferTypeOpAdaptor, Xf_ZeroPreserving]> {
  let summary =
      "repeats each index of an axis several times in a row: K[i div g]";
  let arguments = (ins Xf_Real:$input, I64Attr:$axis, I64Attr:$times);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$input `axis` $axis `times` $times attr-dict `:` type($input)";
  let hasFolder = 1; // One repetition.
}

def Xf_AppendOp : Xf_Op<"append", [Pure, Xf_RowsOrSequences, Xf_GaugesAgree]> {
  let summary = "concatenates two values along an axis: [a; b], [a, b]";
  let arguments = (ins Xf_Real:$lhs, Xf_Real:$rhs, I64Attr:$axis);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `axis` $axis attr-dict `:` type($lhs) `,` type($rhs) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Xf_PatchesOp : Xf_Op<"patches", [Pure, Xf_Rows, Xf_GaugesAgree,
    InferTypeOpAdaptor]> {
  let summary =
      "cuts an image into squares, each becoming a row: patches(image, p)";
  let description = [{
    The squares run from left to right, then downwards; within a row, all values
    of the first channel precede those of the second, each channel line by line.

    ```mlir
    %x = xf.patches %image size 8 : <3, 32, 32>   // <16, 192>
    ```
  }];
  let arguments = (ins Xf_Real:$input, I64Attr:$size);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$input `size` $size attr-dict `:` type($input)";
}

#endif // TRANSFOLD_DIALECT_XFSELECTION_TD
