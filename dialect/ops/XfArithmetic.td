// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic operations of the equations.

#ifndef TRANSFOLD_DIALECT_XFARITHMETIC_TD
#define TRANSFOLD_DIALECT_XFARITHMETIC_TD

include "dialect/ops/XfOpBase.td"

// Two operands whose axes are matched by label.
class Xf_Labelled<string mnemonic, list<Trait> traits = []>
    : Xf_Op<mnemonic, traits # [Pure,
        InferTypeOpAdaptor]> {
  let arguments = (ins Xf_Real:$lhs, Xf_Real:$rhs, Xf_Labels:$lhs_labels,
                       Xf_Labels:$rhs_labels, Xf_Labels:$labels);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = [{
    $lhs `` custom<Labels>($lhs_labels) `,` $rhs `` custom<Labels>($rhs_labels) `->`
    custom<Labels>($labels) attr-dict `:` type($lhs) `,` type($rhs)
  }];
  let hasVerifier = 1;
}

def Xf_ContractOp : Xf_Labelled<"contract", [Xf_RowsOrSequences, Xf_OwnGaugeLaw,
    Xf_ShiftLaw, Xf_GainLaw, Xf_ZeroPreserving]> {
  let summary = "a tensor contraction in index notation";
  let description = [{
    Sums over the labels that the result does not have.

    ```mlir
    %S = xf.contract %Q[i, n, c], %K[i, m, c] -> [i, n, m]
           : <12, n, 32>, <12, m, 32>
    ```
  }];
  let extraClassDeclaration = [{
    /// Whether the contraction sums over a length (a label of the result is
    /// missing there), e.g. over the keys of an attention.
    bool sumsOverLength();
  }];
}

// Elementwise; an operand that lacks one of the result's labels is broadcast
// along it.
class Xf_Binary<string mnemonic, list<Trait> laws>
    : Xf_Labelled<mnemonic, [Xf_Rows, Xf_Pointwise] # laws> {
  let summary = mnemonic # " entry by entry";
}
def Xf_AddOp : Xf_Binary<"add", [Xf_GaugesAgree, Xf_ShiftLaw]>;
def Xf_SubtractOp : Xf_Binary<"subtract", [Xf_GaugesAgree, Xf_ShiftLaw]>;
def Xf_MultiplyOp : Xf_Binary<"multiply", [Xf_OwnGaugeLaw, Xf_ShiftLaw,
                                           Xf_GainLaw, Xf_ZeroPreserving]>;
def Xf_DivideOp : Xf_Binary<"divide", [Xf_OwnGaugeLaw, Xf_ShiftLaw,
                                       Xf_GainLaw, Xf_ZeroPreserving]>;

def Xf_MaximumOp : Xf_Binary<"maximum", [Xf_OwnGaugeLaw]> {
  let description = [{
    The larger of two values; NaN where either of them is NaN. With a constant
    operand it becomes xf.clamp, with zero xf.relu.

    ```mlir
    %y = xf.maximum %x[n, c], %m[] -> [n, c] : <3000, 80>, <>
    ```
  }];
}

class Xf_Same<string mnemonic, list<Trait> traits = []>
    : Xf_Op<mnemonic, traits # [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Xf_Real:$input);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

class Xf_Unary<string mnemonic, string equation,
               list<Trait> laws = [Xf_OwnGaugeLaw]>
    : Xf_Same<mnemonic, [Xf_Rows, Xf_Pointwise] # laws> {
  let summary = equation;
}
def Xf_ReluOp : Xf_Unary<"relu", "max(x, 0)", [Xf_OwnGaugeLaw,
                                                Xf_ZeroPreserving]>;
def Xf_AbsOp : Xf_Unary<"abs", "|x|", [Xf_OwnGaugeLaw, Xf_ZeroPreserving]>;
def Xf_ExpOp : Xf_Unary<"exp", "exp(x)">;
def Xf_NegateOp : Xf_Unary<"negate", "-x", [Xf_GaugesAgree, Xf_ShiftLaw, Xf_GainLaw,
                                               Xf_ZeroPreserving]> {
  let hasFolder = 1; // -(-x)
}

// Operations with scalar operands of their own, which folding sets: optional
// operands of rank 0, each a constant or a weight with one value per layer.
class Xf_WithScalars<string mnemonic, list<Trait> traits>
    : Xf_Op<mnemonic, traits # [Pure, Xf_OwnGaugeLaw,
                                AllTypesMatch<["input", "result"]>]> {
  let results = (outs Xf_Real:$result);
}

def Xf_GeluOp : Xf_WithScalars<"gelu", [Xf_Rows, Xf_Pointwise,
                                            Xf_ZeroPreserving]> {
  let summary = "x * (1 + erf(x / √2)) / 2, or with erf(argument * x / √2)";
  let arguments = (ins Xf_Real:$input, Optional<Xf_Scalar>:$argument);
  let builders = [OpBuilder<(ins "::mlir::Value":$input), [{
    build($_builder, $_state, input.getType(), input, ::mlir::Value());
  }]>];
  let assemblyFormat = "$input (`at` $argument^)? attr-dict `:` type($input)";
}

class Xf_ScaledFunction<string mnemonic, string equation,
                        list<Trait> traits = []>
    : Xf_WithScalars<mnemonic, [Xf_Rows, Xf_Pointwise,
                                AttrSizedOperandSegments] # traits> {
  let summary = equation # ", or factor * f(argument * x)";
  let arguments = (ins Xf_Real:$input, Optional<Xf_Scalar>:$argument,
                       Optional<Xf_Scalar>:$factor);
  let builders = [OpBuilder<(ins "::mlir::Value":$input), [{
    build($_builder, $_state, input.getType(), input, ::mlir::Value(),
          ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $input (`at` $argument^)? (`times` $factor^)? attr-dict `:` type($input)
  }];
}
def Xf_SigmoidOp : Xf_ScaledFunction<"sigmoid", "1 / (1 + exp(-x))">;
def Xf_TanhOp : Xf_ScaledFunction<"tanh", "tanh(x)", [Xf_ZeroPreserving]>;

def Xf_Log2Op : Xf_ScaledFunction<"log2", "log2(x)"> {
  let description = [{
    The result is minus infinity for 0 and NaN for negative x. Other bases are a
    constant factor: ln x = log2(x) / log2(e).
  }];
}
def Xf_Log1pOp : Xf_ScaledFunction<"log1p", "ln(1 + x)", [Xf_ZeroPreserving]> {
  let description = [{
    An operation of its own, because rounding 1 + x to float32 would lose the
    digits of a small x. The result is minus infinity for -1 and NaN for
    smaller x.
  }];
}

def Xf_SoftmaxOp : Xf_WithScalars<"softmax",
    [Xf_RowsOrSequences, Xf_RowWise, Xf_ShiftLaw, AttrSizedOperandSegments]> {
  let summary = "exp(x_j) / Σ exp(x_k), each row (last axis) by itself";
  let description = [{
    With a mask, the softmax runs only over those j that the mask shows to row
    i; the other entries become 0. Rows are the axis before the last; with
    `first`, row r is at position first + r. With `among`, it runs only over
    those j whose entry in `among` is above 0 (the result of xf.topk_mask). Every row
    has at least one visible entry: importing proves it for masks, and xf.topk_mask
    chooses at least one.

    With an exponent the function is 2^(exponent * x_j), so that log2(e) and the
    scale of the scores become one scalar. With a factor, each row sums to that
    factor. A sink is one more score for each row, which takes part in the sum
    but has no entry in the result: rows then sum to less. The shape of the sink
    is a prefix of the input's axes (for members of families), at most all but
    the last. With `rounded`, each exp(x_j - m), where m is the largest visible
    x_j of the row, is rounded to that format before the sum; so a product with
    the result multiplies values of that format and divides by their sum.

    ```mlir
    %P = xf.softmax %S where [j <= i, i - j <= 4095] : <12, n, n>
    %G = xf.softmax %Z among %t : <n, 8>
    %c = xf.constant <"log2(e)/sqrt(32)"> : <>
    %Q = xf.softmax %S exp2 %c : <12, n, m>
    %R = xf.softmax %S from %first where [j <= i] : <12, n, n.seen>
    %U = xf.softmax %S sink %s : <12> : <12, n, m>
    %V = xf.softmax %S rounded bf16 : <12, n, m>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Optional<Xf_Position>:$first,
                       Optional<Xf_Scalar>:$exponent,
                       Optional<Xf_Scalar>:$factor, Optional<Xf_Real>:$among,
                       Optional<Xf_Real>:$sink,
                       OptionalAttr<Xf_MaskAttr>:$mask,
                       OptionalAttr<Xf_FormatAttr>:$rounded);
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
                                 CArg<"MaskAttr", "MaskAttr()">:$mask,
                                 CArg<"::mlir::Value", "{}">:$among,
                                 CArg<"::mlir::Value", "{}">:$sink), [{
    build($_builder, $_state, input.getType(), input, ::mlir::Value(),
          ::mlir::Value(), ::mlir::Value(), among, sink, mask, FormatAttr());
  }]>];
  let assemblyFormat = [{
    $input (`from` $first^)? (`where` custom<Mask>($mask)^)? (`among` $among^)?
    (`sink` custom<Sink>($sink, type($sink))^)? (`exp2` $exponent^)?
    (`times` $factor^)? (`rounded` $rounded^)? attr-dict `:`
    custom<SameType>(type($input), ref($among), type($among))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether every row is known to sum to 1: there is no factor, no `among`
    /// and no sink, and the mask shows each row at least one entry.
    bool rowsSumToOne();
  }];
}

def Xf_UnitOp : Xf_WithScalars<"unit", [Xf_RowsOrSequences, Xf_RowWise]> {
  let summary = "factor * x / √(Σ x²), each row (last axis) by itself";
  let arguments = (ins Xf_Real:$input, Optional<Xf_Scalar>:$factor);
  let builders = [OpBuilder<(ins "::mlir::Value":$input), [{
    build($_builder, $_state, input.getType(), input, ::mlir::Value());
  }]>];
  let assemblyFormat = "$input (`times` $factor^)? attr-dict `:` type($input)";
}

class Xf_Norm<string mnemonic, string equation, list<Trait> laws = []>
    : Xf_WithScalars<mnemonic, [Xf_RowsOrSequences, Xf_RowWise,
                                AttrSizedOperandSegments] # laws> {
  let summary = equation # ", each row (last axis) by itself";
  let description = [{
    `per_layer` replaces ε where the layers differ; a factor multiplies the
    result.
  }];
  let arguments = (ins Xf_Real:$input, Xf_ExactAttr:$epsilon,
                       Optional<Xf_Scalar>:$layer_epsilon,
                       Optional<Xf_Scalar>:$factor);
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "ExactAttr":$epsilon), [{
    build($_builder, $_state, input.getType(), input, epsilon, ::mlir::Value(),
          ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $input `epsilon` custom<Exact>($epsilon) (`per_layer` $layer_epsilon^)?
    (`times` $factor^)? attr-dict `:` type($input)
  }];
}
def Xf_StandardizeOp : Xf_Norm<"standardize",
    "(x - mean(x)) / √(mean((x - mean(x))²) + ε)", [Xf_ShiftLaw]>;
def Xf_UnitRmsOp : Xf_Norm<"unit_rms", "x / √(mean(x²) + ε)">;

def Xf_ScaleOp : Xf_Same<"scale", [Xf_Rows, Xf_Pointwise, Xf_OwnGaugeLaw,
                                     Xf_ShiftLaw, Xf_GainLaw,
                                     Xf_ZeroPreserving]> {
  let summary = "x * factor, a constant of the equations";
  let description = [{
    `written` is the factor as the spec writes it. Folding moves scales.

    ```mlir
    %s = xf.scale %S by <"1/sqrt(32)"> "1 / √d_k" : <12, n, m>
    ```
  }];
  let arguments = (ins Xf_Real:$input, Xf_ExactAttr:$factor, StrAttr:$written);
  let assemblyFormat = [{
    $input `by` custom<Exact>($factor) custom<Text>($written) attr-dict `:` type($input)
  }];
  let hasFolder = 1; // A factor of 1.
}

def Xf_PowerOp : Xf_Same<"power", [Xf_Rows, Xf_Pointwise, Xf_OwnGaugeLaw]> {
  let summary = "x ^ exponent, entry by entry";
  let arguments = (ins Xf_Real:$input, Xf_ExactAttr:$exponent);
  let assemblyFormat =
      "$input `to` custom<Exact>($exponent) attr-dict `:` type($input)";
}

def Xf_RoundOp : Xf_Same<"round", [Xf_Rows, Xf_Pointwise, Xf_OwnGaugeLaw,
                                     Xf_ZeroPreserving]> {
  let summary = "x rounded to a format, as the original model does";
  let arguments = (ins Xf_Real:$input, Xf_FormatAttr:$format);
  let assemblyFormat = "$input `to` $format attr-dict `:` type($input)";
  let hasFolder = 1; // The input is already rounded to the format.
  let hasVerifier = 1;
}

def Xf_QuantizeOp : Xf_Same<"quantize", [Xf_Rows, Xf_OwnGaugeLaw,
                                         Xf_ZeroPreserving]> {
  let summary =
      "x rounded to integers of 8 bits, each group with its own scale";
  let description = [{
    Each `group` of values along the last axis is rounded by itself:

      r = max |x| / 127        y = r round(x / r)        0 where r is 0

    Ties go to even integers. NaN and infinite inputs have no useful result but
    are not hidden: a group that contains one has a NaN or infinite result
    somewhere.

    ```mlir
    %q = xf.quantize %x by 32 : <n, 576>
    ```
  }];
  let arguments = (ins Xf_Real:$input, I64Attr:$group);
  let assemblyFormat = "$input `by` $group attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Xf_ClampOp : Xf_Same<"clamp", [Xf_Rows, Xf_Pointwise, Xf_OwnGaugeLaw]> {
  let summary =
      "x clamped to the range from `least` to `most`";
  let description = [{
    NaN stays NaN. max(x, 0) is xf.relu instead, whose gauge is free.

    ```mlir
    %y = xf.clamp %x from <"-7"> to <"7"> : <n, 64>
    ```
  }];
  let arguments = (ins Xf_Real:$input, OptionalAttr<Xf_ExactAttr>:$least,
                       OptionalAttr<Xf_ExactAttr>:$most);
  let assemblyFormat = [{
    $input (`from` custom<Exact>($least)^)? (`to` custom<Exact>($most)^)? attr-dict
    `:` type($input)
  }];
  let hasVerifier = 1;
}

def Xf_ConstantOp : Xf_Op<"constant", [Pure, Xf_Rows, Xf_OwnGaugeLaw]> {
  let summary = "a scalar constant of the equations";
  let arguments = (ins Xf_ExactAttr:$value);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "custom<Exact>($value) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Xf_IntegersOp : Xf_Op<"integers", [Pure, Xf_Rows]> {
  let summary = "an integer vector with the same value everywhere";
  let arguments = (ins I64Attr:$value);
  let results = (outs Xf_Integer:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

class Xf_Reduction<string mnemonic, string equation, list<Trait> laws>
    : Xf_Op<mnemonic, laws # [Pure, Xf_RowsOrSequences,
        InferTypeOpAdaptor]> {
  let summary = equation # " over one axis, which disappears";
  let arguments = (ins Xf_Real:$input, I64Attr:$axis);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$input `over` $axis attr-dict `:` type($input)";
}
def Xf_SumOp : Xf_Reduction<"sum", "Σ x", [Xf_GaugesAgree, Xf_ShiftLaw,
                                            Xf_GainLaw]>;
def Xf_MeanOp : Xf_Reduction<"mean", "Σ x / n", [Xf_GaugesAgree, Xf_ShiftLaw,
                                                 Xf_GainLaw]>;
def Xf_MaxOp : Xf_Reduction<"max", "max x", [Xf_OwnGaugeLaw]>;

#endif // TRANSFOLD_DIALECT_XFARITHMETIC_TD
