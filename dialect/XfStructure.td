// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that hold a model together: weights, entries, the layer loop,
// kernels and their launches.

#ifndef TRANSFOLD_DIALECT_XFSTRUCTURE_TD
#define TRANSFOLD_DIALECT_XFSTRUCTURE_TD

include "XfOpBase.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Xf_StoredOp : Xf_Op<"stored", [Symbol, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight of the model, where it lies in the checkpoint";
  let description = [{
    The numbers stay in the file: `from` names the tensor, `layout` says how its
    axes lie there. A weight of a layer stands for all layers; {l} in the name is
    the layer.

    ```mlir
    xf.stored @layers.attn.W_Q[l = 6] : !xf.real<12, 384, 32>
      from "encoder.layer.{l}.attention.self.query.weight"
      as <([12:12288], [384:1], [32:384])>
    ```

    Members of a family may each have a tensor. They are read as one, with an axis
    of members:

    ```mlir
    xf.stored @A[l = 2] : !xf.real<8, 64, 112> from "layers.{l}.experts.{i}.w1"
      each <["i"], [8], 7168> as <([8:7168], [64:1], [112:64])>
    ```

    Or one tensor holds all layers: `step` numbers further on is the next one; 0
    where all layers are the same. `in` says how the numbers are written where that
    is not f32, and `plus` what is added to each: 1 for gains stored as γ − 1.

    ```mlir
    xf.stored @W[l = 6] : !xf.real<64, 32> from "blocks.W" in bf16 step 2048
      as <([64:32], [32:1])>
    xf.stored @γ : !xf.real<64> from "norm.weight" plus <"1"> as <([64:1])>
    ```

    Folding multiplies with `times`, one factor or one for each member; the product
    is rounded once. Without a source all numbers are 1, and `times` says what they
    are: a number of a kernel that differs by layer.

    ```mlir
    xf.stored @P : !xf.real<512, 72> from "P" as <([512:72], [72:1])> times [<"1/sqrt(72)">]
    xf.stored @fold.1[l = 2] : !xf.real<> as <()> times [<"1/72">, <"1">]
    ```

    Quantising rounds what was multiplied: in blocks, 32 or 64 numbers of the tensor
    share a scale (BlockFormat.h). They lie one behind the other, or `apart`, so that
    a block is always of numbers that a product adds up.

    ```mlir
    xf.stored @W : !xf.real<64, 32> from "W" as <([64:1], [32:64])> rounded q8_0
    xf.stored @V : !xf.real<64, 32> from "V" as <([64:32], [32:1])> rounded q8_0 apart 32
    ```

    Blocks of few bits lose less where their numbers are of one size, and where those
    matter least that lose most. So what a product sums over may have factors, which
    what made it is divided by (EqualizeChannels.cpp), and `weighing` says how much
    the error of a number counts: both are numbers of an xf.channels.

    ```mlir
    xf.stored @γ : !xf.real<64> from "γ" as <([64:1])>
      equalized [<channels = @c, layout = <([64:1])>, inverse = true>]
    xf.stored @W : !xf.real<64, 32> from "W" as <([64:1], [32:64])> rounded q4_1
      equalized [<channels = @c, layout = <([64:1])>>]
      weighing <channels = @x, layout = <([64:1])>>
    ```

    A weight may be computed from others, once, when the program is made. Its
    region says how, for the member that the region's arguments count. The numbers
    are in the order of the type, and `layout` is a view of them. What a region
    reads are the weights as the checkpoint has them: factors of folding belong to
    the program, and this weight has its own.

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

    Or its members are those of other weights, one after the other: where layer 0
    reads the bias of the first norm, and each later layer one of the layer before
    it, the layers' bias is

    ```mlir
    xf.stored @s[l = 6] : !xf.real<384> of <[@norm.β, @layers.norm_2.β]> as <([384:1])>
    ```

    Placing weights decides where they lie in the program's own file, and how: `at`.
  }];
  // Each phase adds one attribute: import `source` and `layout`, which views
  // change; deriving weights `chain` or the region; folding `times`; quantising
  // `rounded`; placing weights `place`.
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
    // Of numbers that no tensor holds, in the order of `type`.
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
    /// Combinations of the indices.
    int64_t getMembers();
    /// How member `member` lies in its tensor.
    LayoutAttr getLayoutOf(int64_t member);
    /// What each number of a member is multiplied with.
    ::transfold::ExactScalar getFactor(int64_t member);
    /// Whether the checkpoint has the numbers in float32 or more; what is
    /// computed counts as such.
    bool isWide();
    /// The format of fewer than 32 bits that has the numbers which the equations
    /// read: the checkpoint's, or what they are rounded to. None where there is
    /// no such.
    std::optional<Format> getExactFormat();
  }];
}

def Xf_ChannelsOp : Xf_Op<"channels", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "numbers of the channels of a value, which a calibration measured";
  let description = [{
    Positive numbers, `count` for each combination of the indices: factors that a
    value's channels are stored with, or how much their errors count. Until they are
    measured all are 1.

    ```mlir
    xf.channels @layers.norm_1.gamma.channels[l = 2] : 2 of [1.0, 2.0, 0.5, 1.0]
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
    /// Combinations of the indices.
    int64_t getMembers();
    /// Those of one member; empty while all are 1.
    ::llvm::ArrayRef<float> getNumbersOf(int64_t member);
  }];
}

def Xf_WeightOp : Xf_Op<"weight", [Pure, Xf_OwnGaugeLaw,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a stored weight, of one layer where it has several";
  let arguments = (ins FlatSymbolRefAttr:$stored, Variadic<Index>:$indices);
  let results = (outs Xf_Real:$result);
  let assemblyFormat =
      "$stored (`[` $indices^ `]`)? attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// What steps of a sequence leave for later ones
//===----------------------------------------------------------------------===//

def Xf_CacheOp : Xf_Op<"cache", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "what later steps of a sequence read of earlier ones";
  let description = [{
    Each sequence has its own. With a length, a row for each position that the
    sequence has seen; without one, or of a length that no step adds to, a value
    that is made once for a request. `window` is how many of the last positions are
    read; without it all of them are. Its numbers are float32, or all of a `format`
    that everything which is kept was rounded to.

    ```mlir
    xf.cache @decode.0[l = 2] : !xf.real<2, n, 16> in "bf16"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$indices,
      DenseI64ArrayAttr:$extents, TypeAttrOf<Xf_Real>:$type,
      OptionalAttr<I64Attr>:$window, OptionalAttr<Xf_FormatAttr>:$format);
  let assemblyFormat = [{
    $sym_name `` custom<Extents>($indices, $extents) `:` $type (`window` $window^)?
    (`in` $format^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Combinations of the indices.
    int64_t getMembers();
    /// Numbers of a row, or of all of it where it has no length; and its bytes.
    int64_t getRowSize();
    int64_t getRowBytes();
    /// The length along which rows are added; null where there is none.
    ::mlir::StringAttr getLength();
  }];
}

class Xf_CacheAccess<string mnemonic, list<Trait> traits>
    : Xf_Op<mnemonic, traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Xf_KeepOp : Xf_CacheAccess<"keep", [MemoryEffects<[MemWrite]>,
    AttrSizedOperandSegments]> {
  let summary = "rows of a step go where later steps find them";
  let description = [{
    ```mlir
    xf.keep %K in @decode.0[%l] from %first : <2, n, 16>
    ```

    Row r is kept as that of position first + r; without `first` from 0.
  }];
  let arguments = (ins Xf_Real:$value, FlatSymbolRefAttr:$cache,
                       Variadic<Index>:$indices, Optional<Xf_Position>:$first);
  let assemblyFormat = [{
    $value `in` $cache (`[` $indices^ `]`)? (`from` $first^)? attr-dict `:`
    type($value)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::llvm::StringRef":$cache,
                                 "::mlir::ValueRange":$indices,
                                 "::mlir::Value":$first)>];
}

def Xf_RecallOp : Xf_CacheAccess<"recall", [MemoryEffects<[MemRead]>]> {
  let summary = "all that was kept, of earlier steps and of this one";
  let description = [{
    ```mlir
    %K = xf.recall @decode.0[%l] : <2, n.seen, 16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$cache, Variadic<Index>:$indices);
  let results = (outs Xf_Real:$result);
  let assemblyFormat = "$cache (`[` $indices^ `]`)? attr-dict `:` type($result)";
}

def Xf_FoldedOp : Xf_Op<"folded", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "a line of the ledger: where a constant of the equations went";
  let description = [{
    Folding leaves one for each constant, at the place of the spec where it is
    written. A place of the program took the constant to the power `exponent`,
    together with others: `factor` is their product, `rounding` what it did to the
    numbers there. `kept` is why a multiplication is left.

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
  let summary = "a line of the ledger: where a bias or a gain went";
  let description = [{
    Moving leaves one for each weight that is added, or multiplied with, at the
    place of the spec where it is. `destinations` are the weights that took it over;
    none where nobody sees it. `kept` is why it stays where it is. Where it goes
    different ways in the entries that use it, each way has a line, and `entries`
    are those that go it.

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
  let summary = "what a program offers: arguments to results, for one sequence";
  let description = [{
    Arguments and results are observed: they keep their values whatever the
    passes do. Their names, inside (`xf.name`) and for callers (`xf.external`),
    are attributes of each; a result with `xf.on_request` is compiled only where it is
    asked for by name. `limits` holds the largest value of a length, `least` the
    smallest where there must be more than one position.
    Planning memory adds `slots`: bytes of each slot of the arena, as coefficients
    [1, n, …] of the number of sequences and of the lengths, in the order of
    `getLengths`.

    Staging adds entries that go on with a sequence: `stage` is `begin` for what a
    request makes once and `step` for some more positions, `stage_of` the entry
    over whole sequences that they are made from. An argument with `xf.first_of` is
    the position of the first row along that length; the length with ".seen" behind
    it counts the rows before those, too. One with `xf.wanted_of` says which rows of
    the step are asked for.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<DictionaryAttr>:$limits,
      OptionalAttr<DictionaryAttr>:$least, OptionalAttr<ArrayAttr>:$slots,
      OptionalAttr<Xf_StageAttr>:$stage, OptionalAttr<FlatSymbolRefAttr>:$stage_of);
  let extraClassDeclaration = functionDeclarations # [{
    /// Lengths in the order in which the arguments show them, then those that only
    /// caches do.
    ::llvm::SmallVector<::mlir::StringAttr> getLengths();
    /// The argument that is the position of the first row; null where there is none.
    ::mlir::BlockArgument getFirst();
    /// What a length is called together with the rows before.
    static ::mlir::StringAttr getSeen(::mlir::StringAttr length);
  }];
}

def Xf_KernelOp : Xf_Function<"kernel"> {
  let summary = "operations that become one compiled function";
  let description = [{
    A region around an anchor: what comes before it and after it is computed where
    it is used, and never stored. `schedule` and `target` say how. Arguments
    carry `xf.storage` where they are no rows of float32: weights, and what
    another kernel rounded; so does a result that the kernel rounds.

    A kernel may be there several times, for several kinds of processors: each
    has the name of its `variant`, and those that no launch names say which one
    they stand for (`variant_of`). They read and write the same memory.

    So does `few`, another kernel that is faster for up to `few_rows` rows: a launch
    takes it when the program runs. It may be of `one_loop`: what it writes, it writes in a
    single parallel loop, and all else is each thread's own.
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
    /// How an argument lies in memory, and how the result does: where nothing
    /// is said, as rows of float32.
    StorageAttr getStorage(unsigned argument);
    StorageAttr getResultStorage();
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
    One region for all layers; what differs by layer lies in stacked weights.

    ```mlir
    %y = xf.layers %l < 6 (%x = %x0) : !xf.real<n, 384> {
      …
      xf.yield %next : !xf.real<n, 384>
    }
    ```

    A loop that was cut has some of the layers: `2 <= %l < 3`. Folding says in
    `gauges` which multiple of each carried value is there behind each layer,
    where one is another than 1.
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
    /// How many layers it runs.
    uint64_t getCount() { return getEnd() - getBegin(); }
    ::mlir::Value getLayer() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarried() {
      return getBody().getArguments().drop_front();
    }
    /// The loop without the carried values of `gone`, which nobody reads. It
    /// takes the place of this one.
    LayersOp withoutCarried(const ::llvm::BitVector &gone);
  }];
}

def Xf_YieldOp : Xf_Op<"yield", [Pure, Terminator,
    ParentOneOf<["LayersOp", "StoredOp"]>]> {
  let summary = "what the next layer starts from; a weight that is computed";
  let arguments = (ins Variadic<Xf_Value>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

def Xf_LaunchOp : Xf_Op<"launch", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    Once for the rows of all sequences, which lie behind each other; or, with
    `per_sequence`, for each sequence by itself. Once it has a `buffer` it writes
    there, where others may have read before. Where rows are picked, the result
    has as many as operand `counted_by`, their ranks, says in its last entry.

    A launch that is `joined` runs together with the launch right before it: no
    thread waits for another between the two. It reads nothing that the other makes
    (`independent`), or of that only the entries that the same task of the other
    made (`same_tasks`).
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Xf_Value>:$operands,
                       OptionalAttr<Xf_BufferAttr>:$buffer,
                       UnitAttr:$per_sequence,
                       OptionalAttr<I64Attr>:$counted_by,
                       OptionalAttr<Xf_JoinedAttr>:$joined);
  let builders = [OpBuilder<(ins "::mlir::Type":$type,
      "::llvm::StringRef":$kernel, "::mlir::ValueRange":$operands)>];
  let results = (outs Xf_Real:$result);
  let extraClassDeclaration = [{
    /// The ranks of the rows that it picks; null where it picks none.
    ::mlir::Value getRanks();
  }];
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kernel `(` $operands `)` attr-dict `:` functional-type($operands, $result)
  }];
}

def Xf_TransferOp : Xf_Op<"transfer", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "the same value in another memory space";
  let description = [{
    A copy between host and device; on a CPU both are the same memory and it
    costs nothing.
  }];
  let arguments = (ins Xf_Value:$input, StrAttr:$space,
                       OptionalAttr<Xf_BufferAttr>:$buffer);
  let results = (outs Xf_Value:$result);
  let assemblyFormat = "$input `to` $space attr-dict `:` type($input)";
}

#endif // TRANSFOLD_DIALECT_XFSTRUCTURE_TD
