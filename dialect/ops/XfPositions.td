// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Position-dependent operations: masks, tables, biases, rotations. Positions
// are absolute and counted from the start of a sequence.

#ifndef TRANSFOLD_DIALECT_XFPOSITIONS_TD
#define TRANSFOLD_DIALECT_XFPOSITIONS_TD

include "dialect/ops/XfOpBase.td"

def Xf_TabulateOp : Xf_Op<"tabulate", [Pure, Xf_RowsOrSequences,
    Xf_OwnGaugeLaw, AttrSizedOperandSegments]> {
  let summary = "a value defined by its indices: T[t, c] = …";
  let description = [{
    The definition has an index for each axis of the result; `%k[…]` in it reads
    operand k (real values or tokens). Its value is that of evaluation in
    double, whatever the result will be stored as. With `first`, the first axis
    that has a length begins at that position instead of 0.

    ```mlir
    %PE = xf.tabulate "[t, c] = sin(t / 10000^(c / 64))"() : () -> !xf.real<n, 64>
    %B  = xf.tabulate "[a, i, j] = %0[clamp(j - i + 8, 0, 16), a]"(%bias)
            : (!xf.real<17, 4>) -> !xf.real<4, n, n>
    %c  = xf.tabulate "[t, c] = cos(t / 100^c)"() from %first : () -> !xf.real<n, 8>
    ```
  }];
  let arguments = (ins Xf_DefinitionAttr:$definition,
                       Variadic<Xf_Value>:$arrays,
                       Optional<Xf_Position>:$first);
  let results = (outs Xf_Real:$result);
  let builders = [OpBuilder<(ins "RealType":$type, "DefinitionAttr":$definition,
                                 "::mlir::ValueRange":$arrays), [{
    build($_builder, $_state, type, definition, arrays, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    custom<Definition>($definition) `(` $arrays `)` (`from` $first^)? attr-dict `:`
    functional-type($arrays, $result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The axis whose positions begin at `first`: the first axis with a length.
    std::optional<unsigned> getPositionAxis();
  }];
}

def Xf_LengthOp : Xf_Op<"length", [Pure, Xf_RowsOrSequences, Xf_OwnGaugeLaw]> {
  let summary =
      "the number of positions of a sequence, as a real scalar: x * n";
  let description = [{
    The size of an axis of `input`, of which nothing else is read. It is the
    size for one sequence of a batch, so a kernel that contains it runs once per
    sequence. Definitions by index read it as an array without axes. Values that
    depend on it are known only when the whole sequence is present, so an entry
    that generates cannot contain it. Folding moves no factor into it and none
    out of it.

    ```mlir
    %n = xf.length %tokens axis 0 : !xf.integer<n>
    %t = xf.tabulate "[i] = (i + 1) / %0[]"(%n) : (!xf.real<>) -> !xf.real<n>
    ```
  }];
  let arguments = (ins Xf_Value:$input, I64Attr:$axis);
  let results = (outs Xf_Scalar:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Xf_RotateOp : Xf_Op<"rotate", [Pure, Xf_Rows, Xf_OwnGaugeLaw,
    AllTypesMatch<["input", "result"]>, AllTypesMatch<["cosines", "sines"]>]> {
  let summary = "rotates the pairs (c, c + d/2) of each row by an angle";
  let description = [{
    Rotary embedding (Su et al. 2021), with the angle A[t, c] of row t:

      y[t, c]       = x[t, c] cos A[t, c] - x[t, c + d/2] sin A[t, c]
      y[t, c + d/2] = x[t, c + d/2] cos A[t, c] + x[t, c] sin A[t, c]

    The operands are cosines and sines instead of angles: a float32 holds a
    cosine to 6e-8 at every position, but an angle of 32768 only to 2e-3.

    ```mlir
    %y = xf.rotate %x by %cos, %sin : <8, n, 64>, <n, 32>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_Real:$cosines, Xf_Real:$sines);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = [{
    $input `by` $cosines `,` $sines attr-dict `:` type($input) `,` type($cosines)
  }];
  let hasVerifier = 1;
}

def Xf_UnfoldOp : Xf_Op<"unfold", [Pure, Xf_RowsOrSequences,
    Xf_GaugesAgree]> {
  let summary = "for each position, the rows around it";
  let description = [{
    y[t, k, c] = x[t * stride + k - pad, c], with or without the axis c
    (im2col): a convolution is a contraction with it. Beyond the ends x is zero;
    with `reflected` it is mirrored at the first or last row.

    ```mlir
    %w = xf.unfold %x stride 2 pad 1 : <3000, 384> -> <1500, 3, 384>
    %f = xf.unfold %s stride 160 pad 200 reflected : <480000> -> <3001, 400>
    ```
  }];
  let arguments = (ins Xf_Real:$input, I64Attr:$stride, I64Attr:$pad,
                       UnitAttr:$reflected);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = [{
    $input `stride` $stride `pad` $pad (`reflected` $reflected^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Xf_DelayOp : Xf_Op<"delay", [Pure, Xf_RowsOrSequences, Xf_GaugesAgree,
    Xf_GainLaw]> {
  let summary = "the rows some positions earlier: y[t] = x[t - 1]";
  let description = [{
    y[t] = x[t - by] along one axis; the first `by` positions of y are zero.

    With `first`, the result has the rows of a step, which begin at that
    position, and the input has all rows so far: y[r] = x[first + r - by].

    ```mlir
    %y = xf.delay %x axis 0 by 1 : <n, 64> -> <n, 64>
    %z = xf.delay %all axis 0 by 3 from %first : <n.seen, 64> -> <n, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Optional<Xf_Position>:$first,
                       I64Attr:$axis, I64Attr:$by);
  let results = (outs Xf_Real:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "uint64_t":$axis,
                                 "uint64_t":$by), [{
    build($_builder, $_state, input.getType(), input, ::mlir::Value(), axis, by);
  }]>];
  let assemblyFormat = [{
    $input `axis` $axis `by` $by (`from` $first^)? attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // TRANSFOLD_DIALECT_XFPOSITIONS_TD
