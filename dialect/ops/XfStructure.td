// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that hold a model together: weights, entries, the layer loop,
// kernels and their launches.

#ifndef TRANSFOLD_DIALECT_XFSTRUCTURE_TD
#define TRANSFOLD_DIALECT_XFSTRUCTURE_TD

include "dialect/ops/XfOpBase.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Xf_StoredOp : Xf_Op<"stored", [Symbol, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight of the model, at its place in the checkpoint";
  let description = [{
    The values stay in the file: `from` names the tensor, `layout` states how
    the weight's axes are laid out in it. One op stands for the weights of all
    layers; {l} in the name is the layer.

    ```mlir
    xf.stored @layers.attn.W_Q[l = 6] : !xf.real<12, 384, 32>
      from "encoder.layer.{l}.attention.self.query.weight"
      as <([12:12288], [384:1], [32:384])>
    ```

    Each member of a family may have its own tensor. They are read as one tensor
    with an axis of members:

    ```mlir
    xf.stored @A[l = 2] : !xf.real<8, 64, 112> from "layers.{l}.experts.{i}.w1"
      each <["i"], [8], 7168> as <([8:7168], [64:1], [112:64])>
    ```

    Or one tensor holds all layers: consecutive layers are `step` elements apart
    (0 if all layers are the same). `in` is the format of the elements unless it
    is f32, and `plus` is added to each element: 1 for gains stored as γ − 1.

    ```mlir
    xf.stored @W[l = 6] : !xf.real<64, 32> from "blocks.W" in bf16 step 2048
      as <([64:32], [32:1])>
    xf.stored @γ : !xf.real<64> from "norm.weight" plus <"1"> as <([64:1])>
    ```

    Folding multiplies by `times`, either one factor or one for each member; the
    product is rounded once. Without a source all elements are 1, so `times` is
    the value: a scalar operand of a kernel that differs by layer.

    ```mlir
    xf.stored @P : !xf.real<512, 72> from "P" as <([512:72], [72:1])> times [<"1/sqrt(72)">]
    xf.stored @fold.1[l = 2] : !xf.real<> as <()> times [<"1/72">, <"1">]
    ```

    Quantization rounds the product: blocks of 32 or 64 elements of the tensor
    share a scale (BlockFormat.h). The elements of a block are consecutive, or a
    stride `apart`, so that a block always runs along the axis that a
    contraction sums over.

    ```mlir
    xf.stored @W : !xf.real<64, 32> from "W" as <([64:1], [32:64])> rounded q8_0
    xf.stored @V : !xf.real<64, 32> from "V" as <([64:32], [32:1])> rounded q8_0 apart 32
    ```

    Block formats of few bits lose less where the elements of a block have
    similar magnitudes, and where those elements that lose most matter least. So
    a contracted axis may have factors, by which the producer of that value is
    divided (EqualizeChannels.cpp), and `weighing` gives the weight of each
    element's error: both refer to the values of an xf.channel_scales.

    ```mlir
    xf.stored @γ : !xf.real<64> from "γ" as <([64:1])>
      equalized [<channels = @c, layout = <([64:1])>, inverse = true>]
    xf.stored @W : !xf.real<64, 32> from "W" as <([64:1], [32:64])> rounded q4_1
      equalized [<channels = @c, layout = <([64:1])>>]
      weighing <channels = @x, layout = <([64:1])>>
    ```

    A weight may be computed from others, once, when the program is compiled.
    Its region computes the member that the region's arguments index. The
    elements are in the order of the type, and `layout` is a view of them. The
    region reads weights as the checkpoint has them: factors of folding belong
    to the program, and this weight has its own.

    ```mlir
    xf.stored @b.derived[l = 6] : !xf.real<384> as <([384:1])> derived {
    ^bb0(%l: index):
      %b = xf.weight @b[%l] : <384>
      %s = xf.weight @s[%l] : <384>
      %W = xf.weight @W[%l] : <384, 384>
      %t = xf.contract %s[k], %W[k, c] -> [c] : <384>, <384, 384>
      %u = xf.add %b[c], %t[c] -> [c] : <384>, <384>
      xf.yield %u : !xf.real<384>
    }
    ```

    Or its members are those of other weights, concatenated: where layer 0 reads
    the bias of the first norm and each later layer the bias of the layer before
    it, the bias of the layers is

    ```mlir
    xf.stored @s[l = 6] : !xf.real<384> of <[@norm.β, @layers.norm_2.β]> as <([384:1])>
    ```

    Placing weights decides where and how they are stored in the program's own
    file: `at`.
  }];
  // Each phase adds one attribute: import adds `source` and `layout`, which
  // views change; deriving weights adds `chain` or the region; folding adds
  // `times`; quantization adds `rounded`; placing weights adds `place`.
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$indices,
      DenseI64ArrayAttr:$extents, TypeAttrOf<Xf_Real>:$type,
      OptionalAttr<Xf_SourceAttr>:$source, OptionalAttr<Xf_ChainAttr>:$chain,
      Xf_LayoutAttr:$layout,
      OptionalAttr<TypedArrayAttrBase<Xf_ExactAttr, "exact scalars">>:$times,
      OptionalAttr<Xf_FormatAttr>:$rounded, OptionalAttr<I64Attr>:$apart,
      OptionalAttr<TypedArrayAttrBase<Xf_FactorsAttr, "factors of channels">>:$equalized,
      OptionalAttr<Xf_FactorsAttr>:$weighing,
      OptionalAttr<Xf_PlaceAttr>:$place);
  let regions = (region AnyRegion:$derivation);
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name,
      "::mlir::ArrayAttr":$indices, "::mlir::DenseI64ArrayAttr":$extents,
      "::mlir::TypeAttr":$type, "SourceAttr":$source, "LayoutAttr":$layout)>,
    // For values that no tensor holds, in the order of `type`.
    OpBuilder<(ins "::mlir::StringAttr":$name, "::mlir::ArrayAttr":$indices,
      "::mlir::DenseI64ArrayAttr":$extents, "RealType":$type)>];
  let assemblyFormat = [{
    $sym_name `` custom<Extents>($indices, $extents) `:` $type
    (`from` custom<Source>($source)^)? (`of` $chain^)? `as` $layout
    (`times` custom<Exacts>($times)^)? (`rounded` `` $rounded^)? (`apart` $apart^)?
    (`equalized` custom<Factors>($equalized)^)? (`weighing` $weighing^)? (`derived` $derivation^)? (`at` $place^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of combinations of the indices.
    int64_t getMembers();
    /// The layout of member `member` in its tensor.
    LayoutAttr getLayoutOf(int64_t member);
    /// The factor that each element of a member is multiplied with.
    ::transfold::ExactScalar getFactor(int64_t member);
    /// Whether the checkpoint stores the elements in float32 or wider; computed
    /// weights count as wide.
    bool isWide();
    /// The format of fewer than 32 bits that represents the elements exactly as
    /// the equations read them: the checkpoint's format, or the one that they
    /// are rounded to. Nullopt if there is none.
    std::optional<Format> getExactFormat();
  }];
}

def Xf_ChannelScalesOp : Xf_Op<"channel_scales", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "per-channel values that a calibration measured";
  let description = [{
    Positive values, `count` for each combination of the indices: factors that a
    value's channels are stored with, or weights of their errors. All are 1
    until they are measured.

    ```mlir
    xf.channel_scales @layers.norm_1.gamma.channels[l = 2] : 2 of [1.0, 2.0, 0.5, 1.0]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$indices,
      DenseI64ArrayAttr:$extents, I64Attr:$count,
      OptionalAttr<DenseF32ArrayAttr>:$numbers);
  let assemblyFormat = [{
    $sym_name `` custom<Extents>($indices, $extents) `:` $count (`of` $numbers^)?
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of combinations of the indices.
    int64_t getMembers();
    /// The values of one member; empty while all are 1.
    ::llvm::ArrayRef<float> getNumbersOf(int64_t member);
  }];
}

def Xf_WeightOp : Xf_Op<"weight", [Pure, Xf_OwnGaugeLaw,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a stored weight; that of one layer if it has several members";
  let arguments = (ins FlatSymbolRefAttr:$stored, Variadic<Index>:$indices);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$stored (`[` $indices^ `]`)? attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Caches: values that steps of a sequence leave for later steps
//===----------------------------------------------------------------------===//

def Xf_CacheOp : Xf_Op<"cache", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary =
      "values of earlier steps of a sequence that later steps read (KV cache)";
  let description = [{
    Each sequence has its own cache. With a length, it has a row for each
    position of the sequence so far; without a length, or with one that no step
    extends, it holds a value that is computed once per request or, as a
    `state`, the value after the last position so far. `window` is the
    number of last positions that are read; without it all positions are read.
    Its elements are float32, or of a `format` if everything that is kept was
    rounded to that format.

    ```mlir
    xf.cache @decode.0[l = 2] : !xf.real<2, n, 16> in "bf16"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$indices,
      DenseI64ArrayAttr:$extents, TypeAttrOf<Xf_Real>:$type,
      OptionalAttr<I64Attr>:$window, OptionalAttr<Xf_FormatAttr>:$format,
      UnitAttr:$state);
  let assemblyFormat = [{
    $sym_name `` custom<Extents>($indices, $extents) `:` $type (`window` $window^)?
    (`in` $format^)? (`state` $state^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of combinations of the indices.
    int64_t getMembers();
    /// The elements of a row, or of the whole cache if it has no length; and
    /// the bytes of these elements.
    int64_t getRowSize();
    int64_t getRowBytes();
    /// The length along which rows are appended; null if there is none.
    ::mlir::StringAttr getLength();
  }];
}

class Xf_CacheAccess<string mnemonic, list<Trait> traits>
    : Xf_Op<mnemonic, traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Xf_CacheWriteOp : Xf_CacheAccess<"cache_write", [MemoryEffects<[MemWrite]>,
    AttrSizedOperandSegments]> {
  let summary = "stores rows of a step in a cache, for later steps";
  let description = [{
    ```mlir
    xf.cache_write %K in @decode.0[%l] from %first : <2, n, 16>
    ```

    Row r is stored as the row of position first + r; without `first`, of
    position r. On a device, the launch that computes the rows of a single
    sequence may write them there (`by_launch`); otherwise they are copied, and
    the copies of consecutive writes start at the last one (`ends_copies`).
  }];
  let arguments = (ins Xf_Real:$value, FlatSymbolRefAttr:$cache,
                       Variadic<Index>:$indices, Optional<Xf_Position>:$first,
                       UnitAttr:$by_launch, UnitAttr:$ends_copies);
  let assemblyFormat = [{
    $value `in` $cache (`[` $indices^ `]`)? (`from` $first^)? attr-dict `:`
    type($value)
  }];
}

def Xf_CacheReadOp : Xf_CacheAccess<"cache_read", [MemoryEffects<[MemRead]>]> {
  let summary = "all rows that were kept, by earlier steps and by this one";
  let description = [{
    ```mlir
    %K = xf.cache_read @decode.0[%l] : <2, n.seen, 16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$cache, Variadic<Index>:$indices);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$cache (`[` $indices^ `]`)? attr-dict `:` type($result)";
}

def Xf_FoldedOp : Xf_Op<"folded", [HasParent<"::mlir::ModuleOp">]> {
  let summary =
      "a line of the ledger: where a constant of the equations was folded "
      "into";
  let description = [{
    Folding leaves one such op for each constant, located where the spec writes
    it. Each of the `places` of the program absorbed the constant to the power
    `exponent`, possibly together with other constants: `factor` is the product
    of all, `rounding` the rounding error it causes in the values there. `kept`
    is the reason if a multiplication remains.

    ```mlir
    xf.folded "√d" <"6*sqrt(2)"> to [
      {place = "PE", exponent = "-1", factor = "1/(6*sqrt(2))",
       layers = "", rounding = "1/2 ulp" } ] readers 31
    ```
  }];
  let arguments = (ins StrAttr:$written, Xf_ExactAttr:$value,
      DictArrayAttr:$places, I64Attr:$readers, OptionalAttr<StrAttr>:$kept);
  let assemblyFormat = [{
    custom<Text>($written) custom<Exact>($value) `to` $places `readers` $readers
    (`kept` custom<Text>($kept)^)? attr-dict
  }];
}

def Xf_MovedOp : Xf_Op<"moved", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "a line of the ledger: where a bias or a gain was moved";
  let description = [{
    Moving leaves one such op for each weight that is added or multiplied with,
    located where the spec uses it. `destinations` are the weights that absorbed
    it; empty if it has no effect on any result. `kept` is the reason why it
    stays where it is. If it moves differently in the entries that use it, each
    variant has a line, and `entries` lists its entries.

    ```mlir
    xf.moved "bias" "layers.norm_1.β" to ["layers.ffn.b_1", "layers.ffn.b_2"] readers 4
    xf.moved "bias" "layers.norm_2.β" in ["encode"] to [] readers 1 kept "a result …"
    ```
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$written,
      OptionalAttr<StrArrayAttr>:$entries, StrArrayAttr:$destinations,
      I64Attr:$readers, OptionalAttr<StrAttr>:$kept);
  let assemblyFormat = [{
    $kind custom<Text>($written) (`in` $entries^)? `to` custom<Texts>($destinations)
    `readers` $readers (`kept` custom<Text>($kept)^)? attr-dict
  }];
}

class Xf_Function<string mnemonic, list<Trait> traits = []>
    : Xf_Op<mnemonic, traits # [IsolatedFromAbove, FunctionOpInterface, Symbol,
                                SingleBlock, AffineScope]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::FunctionType":$type)>];
  code functionDeclarations = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let extraClassDeclaration = functionDeclarations;
}

def Xf_EntryOp : Xf_Function<"entry"> {
  let summary =
      "a function that a program offers: from arguments to results, for one "
      "sequence";
  let description = [{
    Arguments and results are observable: passes must preserve their values.
    Their names, internal (`xf.name`) and for callers (`xf.external`), are
    attributes of each; a result with `xf.on_request` is compiled only if it is
    requested by name. `limits` holds the maximum of a length, `least` its
    minimum where that is more than one position. Planning memory adds `slots`:
    the bytes of each slot of the arena, as coefficients [1, n, …] of the number
    of sequences and of the lengths, in the order of `getLengths`.

    Staging adds entries that continue a sequence: `stage` is `begin` for the
    values that a request computes once and `step` for some further positions;
    `stage_of` is the entry over whole sequences that they are derived from. An
    argument with `xf.first_of` is the position of the first row along that
    length; the length's name with the suffix ".seen" counts the rows before it,
    too. An argument with `xf.wanted_of` states which rows of the step are
    requested.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<DictionaryAttr>:$limits,
      OptionalAttr<DictionaryAttr>:$least, OptionalAttr<ArrayAttr>:$slots,
      OptionalAttr<Xf_StageAttr>:$stage, OptionalAttr<FlatSymbolRefAttr>:$stage_of);
  let extraClassDeclaration = functionDeclarations # [{
    /// The lengths in the order of their first occurrence in the argument
    /// types, then those that occur only in caches.
    ::llvm::SmallVector<::mlir::StringAttr> getLengths();
    /// The argument that is the position of the first row; null if there is
    /// none.
    ::mlir::BlockArgument getFirst();
    /// The name of a length that also counts the rows before.
    static ::mlir::StringAttr getSeen(::mlir::StringAttr length);
  }];
}

def Xf_KernelOp : Xf_Function<"kernel"> {
  let summary = "operations that become one compiled function";
  let description = [{
    A region around an anchor: its prologue and epilogue are computed where they
    are used and are never stored. `schedule` and `target` state how it is
    compiled; the entries of the former are parameters (Xf_ScheduleParameter),
    which are positive numbers or, for bounds of keys, affine maps. Arguments carry `xf.storage` unless they are rows of float32:
    weights, and values that another kernel rounded; so does a result that the
    kernel rounds.

    A kernel may exist several times, for several kinds of processors: each has
    the name of its `variant`, and those that no launch names refer to the one
    they replace (`variant_of`). All of them read and write the same memory.

    `few` is another kernel with the same arguments that is faster for up to
    `few_rows` rows (a small-M variant): a launch selects it at run time. A
    kernel may be of `one_loop`: it writes its result in a single parallel loop,
    and everything else is local to each thread.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs, Xf_AnchorAttr:$anchor,
      OptionalAttr<DictionaryAttr>:$schedule, OptionalAttr<StrAttr>:$target,
      OptionalAttr<StrAttr>:$variant, OptionalAttr<FlatSymbolRefAttr>:$variant_of,
      OptionalAttr<FlatSymbolRefAttr>:$few, OptionalAttr<I64Attr>:$few_rows,
      UnitAttr:$one_loop);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::FunctionType":$type,
                                 "::transfold::xf::Anchor":$anchor)>];
  let extraClassDeclaration = functionDeclarations # [{
    /// How an argument, and the result, are stored; rows of float32 unless
    /// stated.
    StorageAttr getStorage(unsigned argument);
    StorageAttr getResultStorage(unsigned result = 0);
    /// An entry of the schedule; null if there is none.
    ::mlir::Attribute getScheduleEntry(ScheduleParameter parameter);
    /// An entry of the schedule that is a number; nullopt if there is none.
    std::optional<int64_t> getScheduleNumber(ScheduleParameter parameter);
  }];
}

def Xf_ReturnOp : Xf_Op<"return", [Pure, Terminator,
    ParentOneOf<["EntryOp", "KernelOp"]>]> {
  let summary = "the results of an entry or a kernel";
  let arguments = (ins Variadic<Xf_Value>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
  let hasVerifier = 1;
}

def Xf_LayersOp : Xf_Op<"layers", [SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
        ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
         "getLoopSteps", "getRegionIterArgs",
         "getYieldedValuesMutable", "getLoopResults",
         "replaceWithAdditionalYields"]>]> {
  let summary = "the same equations for each layer";
  let description = [{
    One region for all layers; weights that differ by layer are stacked.

    ```mlir
    %y = xf.layers %l < 6 (%x = %x0) : !xf.real<n, 384> {
      …
      xf.yield %next : !xf.real<n, 384>
    }
    ```

    A loop that was split covers some of the layers: `2 <= %l < 3`. Folding
    states in `gauges` the factor by which each carried value differs from the
    equations after each layer, if that is not 1 everywhere.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$begin, I64Attr:$end,
      Variadic<Xf_Value>:$inits,
      OptionalAttr<TypedArrayAttrBase<ArrayAttr, "lists of exact scalars">>:$gauges);
  let results = (outs Variadic<Xf_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "int64_t":$count,
                                 "::mlir::ValueRange":$inits)>];
  let extraClassDeclaration = [{
    /// The number of layers that the loop runs.
    uint64_t getCount() { return getEnd() - getBegin(); }
    ::mlir::Value getLayer() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarried() {
      return getBody().getArguments().drop_front();
    }
    /// Replaces this loop by one without the carried values of `gone`, which
    /// must not be read. Returns the new loop.
    LayersOp withoutCarried(const ::llvm::BitVector &gone);
  }];
}

def Xf_ScanOp : Xf_Op<"scan", [SingleBlock, RecursiveMemoryEffects,
    AttrSizedOperandSegments]> {
  let summary = "a recurrence: states that are computed position by position";
  let description = [{
    S[t] = f(S[t - 1], k[t], …),  y[t] = g(S[t - 1], k[t], …)

    The region computes, for one position, the results of the position and the
    states after it. Its arguments are the rows of the position, one for each of
    `rows`, which are slices along `row_axes`, and the states before it, which
    are `inits` at the first position. The op returns the results of all
    positions, along `result_axes`, and the states after the last one. If it is
    `backwards`, the first position is the one with the largest number. Planning
    memory adds the `buffers` of the results.

    ```mlir
    %y, %last = xf.scan (%k in %K axis 1, %v in %V axis 1) from (%S = %S0)
        : (<4, n, 16>, <4, n, 16>), (<4, 16, 16>) -> (<4, n, 16> axis 1) {
      %kv = xf.multiply %k[i, a], %v[i, b] -> [i, a, b] : <4, 16>, <4, 16>
      %next = xf.add %S[i, a, b], %kv[i, a, b] -> [i, a, b] : …
      %o = xf.contract %k[i, a], %next[i, a, b] -> [i, b] : …
      xf.yield %o, %next : …
    }
    ```
  }];
  let arguments = (ins Variadic<Xf_Real>:$rows, Variadic<Xf_Real>:$inits,
      DenseI64ArrayAttr:$row_axes, DenseI64ArrayAttr:$result_axes,
      UnitAttr:$backwards,
      OptionalAttr<TypedArrayAttrBase<Xf_BufferAttr, "buffers of results">>:$buffers);
  let results = (outs Variadic<Xf_Real>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types,
      "::mlir::ValueRange":$rows, "::mlir::ValueRange":$inits,
      "::llvm::ArrayRef<int64_t>":$row_axes,
      "::llvm::ArrayRef<int64_t>":$result_axes,
      CArg<"bool", "false">:$backwards), [{
    build($_builder, $_state, types, rows, inits, row_axes, result_axes,
          backwards, ::mlir::ArrayAttr());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The rows of one position, and the states before it, in the region.
    ::mlir::Block::BlockArgListType getRowArguments() {
      return getBody().getArguments().take_front(getRows().size());
    }
    ::mlir::Block::BlockArgListType getStates() {
      return getBody().getArguments().drop_front(getRows().size());
    }
    /// The results of all positions, and the states after the last one.
    ::mlir::ResultRange getRowResults() {
      return getResults().take_front(getResultAxes().size());
    }
    ::mlir::ResultRange getLastStates() {
      return getResults().drop_front(getResultAxes().size());
    }
    /// The values that the region computes for a position, and the states after
    /// it.
    ::mlir::OperandRange getYieldedRows();
    ::mlir::OperandRange getNextStates();
    /// The axis of positions: a length, or a number.
    ::mlir::Attribute getPositions();
  }];
}

def Xf_YieldOp : Xf_Op<"yield", [Pure, Terminator,
    ParentOneOf<["LayersOp", "ScanOp", "StoredOp"]>]> {
  let summary =
      "the carried values of the next layer or position, or the value of a "
      "computed weight";
  let arguments = (ins Variadic<Xf_Value>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

def Xf_LaunchOp : Xf_Op<"launch", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    Runs once for the rows of all sequences, which are concatenated; or, with
    `per_sequence`, once for each sequence. With a `buffer` it writes there,
    possibly over values that earlier launches have read. If it picks rows, the
    count of the result's rows is the last entry of operand `counted_by`, their
    ranks.

    A launch that is `joined` runs together with the launch right before it,
    without a barrier between the two. Either it reads nothing that the other
    computes (`independent`), or only those entries that the same task of the
    other computed (`same_tasks`).

    A launch of a recurrence also has the states after the last position as
    results, with `state_buffers`; a state may be written over the one before.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Xf_Value>:$operands,
                       OptionalAttr<Xf_BufferAttr>:$buffer,
                       OptionalAttr<TypedArrayAttrBase<Xf_BufferAttr, "buffers of states">>:$state_buffers,
                       UnitAttr:$per_sequence,
                       OptionalAttr<I64Attr>:$counted_by,
                       OptionalAttr<Xf_JoinedAttr>:$joined);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types,
      "::llvm::StringRef":$kernel, "::mlir::ValueRange":$operands)>];
  let results = (outs Variadic<Xf_Real>:$results);
  let extraClassDeclaration = [{
    /// The result of all kernels, and those that only recurrences have.
    ::mlir::Value getResult() { return getOperation()->getResult(0); }
    ::mlir::ResultRange getStates() { return getResults().drop_front(); }
    /// The ranks of the rows that the launch picks; null if it picks none.
    ::mlir::Value getRanks();
    /// The kernel that the launch names, whose variants for few rows follow from it; null if there is none.
    KernelOp lookUpKernel();
  }];
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kernel `(` $operands `)` attr-dict `:` functional-type($operands, $results)
  }];
}

def Xf_TransferOp : Xf_Op<"transfer", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "copies a value to another memory space";
  let description = [{
    A copy between host and device; on a CPU both are the same memory and the
    copy costs nothing.
  }];
  let arguments = (ins Xf_Value:$input, StrAttr:$space,
                       OptionalAttr<Xf_BufferAttr>:$buffer);
  let results = (outs Xf_Value:$result);
  let assemblyFormat = "$input `to` $space attr-dict `:` type($input)";
}

#endif // TRANSFOLD_DIALECT_XFSTRUCTURE_TD
