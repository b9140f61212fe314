// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerations and attributes of the dialect: exact scalars, definitions and
// masks of the equations; sources, layouts and storage of weights; places of
// values in memory.

#ifndef TRANSFOLD_DIALECT_XFATTRIBUTES_TD
#define TRANSFOLD_DIALECT_XFATTRIBUTES_TD

include "dialect/XfDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Xf_Enum<string cppName, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<cppName, summary, cases> {
  let cppNamespace = "::transfold::xf";
  let genSpecializedAttr = 0;
}

// How the threads of two consecutive launches depend on each other.
// `same_tasks`: task t of the later launch reads only what task t of the
// earlier one wrote, so the thread that executes both needs no barrier
// (compiler/host/plan/JoinLaunches.cpp).
def Xf_Joined : Xf_Enum<"Joined", "how a launch runs together with the one before it",
    [I32EnumAttrCase<"Independent", 0, "independent">,
     I32EnumAttrCase<"SameTasks", 1, "same_tasks">]>;
def Xf_JoinedAttr : EnumAttr<Xf_Dialect, Xf_Joined, "joined"> {
  let assemblyFormat = "`<` $value `>`";
}

// The anchor determines which schedules a kernel can have
// (compiler/kernels/schedule/Anchors.h).
def Xf_Anchor : Xf_Enum<"Anchor", "what a kernel is built around",
    [I32EnumAttrCase<"Contraction", 0, "contraction">,
     I32EnumAttrCase<"Attention", 1, "attention">,
     I32EnumAttrCase<"Rows", 2, "rows">,
     I32EnumAttrCase<"Reduction", 3, "reduction">,
     I32EnumAttrCase<"Scan", 4, "scan">]>;
def Xf_AnchorAttr : EnumAttr<Xf_Dialect, Xf_Anchor, "anchor"> {
  let assemblyFormat = "`<` $value `>`";
}

// The parameters of schedules. Those of one kernel depend on its anchor and on
// the machine (compiler/kernels/schedule/choose); a switch is 1, or absent.
def Xf_ScheduleParameter : Xf_Enum<"ScheduleParameter",
                                   "what the schedule of a kernel states",
    [// Threads across the columns of a block; attention: partial sums of a score.
     I32EnumAttrCase<"Across", 0, "across">,
     // Bytes, or rows, that loads are ahead of their use.
     I32EnumAttrCase<"Ahead", 1, "ahead">,
     // Rows of a task.
     I32EnumAttrCase<"Block", 2, "block">,
     // Columns of an attention's mixture at a time.
     I32EnumAttrCase<"Channels", 3, "channels">,
     // Columns of a tile.
     I32EnumAttrCase<"Columns", 4, "columns">,
     // Terms of a part of a sum.
     I32EnumAttrCase<"Depth", 5, "depth">,
     // Products that one instruction adds up.
     I32EnumAttrCase<"Dot", 6, "dot">,
     // Threads along the rows of a block.
     I32EnumAttrCase<"Down", 7, "down">,
     // Sums are added in the order of matrix registers.
     I32EnumAttrCase<"Halves", 8, "halves">,
     // Keys of a panel, or of a part.
     I32EnumAttrCase<"Keys", 9, "keys">,
     // The first key of a task's queries.
     I32EnumAttrCase<"KeysFrom", 10, "keys_from">,
     // The end of the keys of a task's queries.
     I32EnumAttrCase<"KeysTo", 11, "keys_to">,
     // Partial results of a reduction along a row.
     I32EnumAttrCase<"Lanes", 12, "lanes">,
     // Eight bytes of two rows are multiplied at a time.
     I32EnumAttrCase<"Octets", 13, "octets">,
     // Tiles during which the next panel is prefetched.
     I32EnumAttrCase<"Overlap", 14, "overlap">,
     // Keys of a part.
     I32EnumAttrCase<"Part", 15, "part">,
     // Parts of a sum that a block computes together.
     I32EnumAttrCase<"Parts", 16, "parts">,
     // Rows of a tile, or of a thread.
     I32EnumAttrCase<"Rows", 17, "rows">,
     // Heads that share keys.
     I32EnumAttrCase<"Shared", 18, "shared">,
     // Terms of a sum that a block loads together.
     I32EnumAttrCase<"Step", 19, "step">,
     // Rows that an attention computes together.
     I32EnumAttrCase<"Strip", 20, "strip">,
     // Matrix instructions compute the sums.
     I32EnumAttrCase<"Tiles", 21, "tiles">,
     // Iterations of a sum that are unrolled.
     I32EnumAttrCase<"Unroll", 22, "unroll">,
     // Lanes of a vector.
     I32EnumAttrCase<"Vector", 23, "vector">,
     // Blocks are widened once for many rows.
     I32EnumAttrCase<"Widen", 24, "widen">]>;

// `begin` computes what a request needs once, such as the rows of an encoder;
// `step` continues the sequence by some positions.
def Xf_Stage : Xf_Enum<"Stage",
               "which part of generating a sequence an entry computes",
    [I32EnumAttrCase<"Begin", 0, "begin">, I32EnumAttrCase<"Step", 1, "step">]>;
def Xf_StageAttr : EnumAttr<Xf_Dialect, Xf_Stage, "stage"> {
  let assemblyFormat = "`<` $value `>`";
}

def Xf_Format : Xf_Enum<"Format", "how elements are stored in a file",
    [I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"F64", 1, "f64">,
     I32EnumAttrCase<"F16", 2, "f16">, I32EnumAttrCase<"BF16", 3, "bf16">,
     // Block formats: base/numeric/BlockFormat.h.
     I32EnumAttrCase<"Q4_0", 4, "q4_0">, I32EnumAttrCase<"Q4_1", 5, "q4_1">,
     I32EnumAttrCase<"Q5_0", 6, "q5_0">, I32EnumAttrCase<"Q5_1", 7, "q5_1">,
     I32EnumAttrCase<"Q8_0", 8, "q8_0">, I32EnumAttrCase<"IQ4_NL", 9, "iq4_nl">,
     I32EnumAttrCase<"MXFP4", 10, "mxfp4">, I32EnumAttrCase<"Q2_K", 11, "q2_k">,
     I32EnumAttrCase<"Q3_K", 12, "q3_k">, I32EnumAttrCase<"Q4_K", 13, "q4_k">,
     I32EnumAttrCase<"Q5_K", 14, "q5_k">, I32EnumAttrCase<"Q6_K", 15, "q6_k">,
     I32EnumAttrCase<"Int8_64", 16, "int8_64">,
     I32EnumAttrCase<"Int8_Row", 17, "int8_row">,
     // Single integers whose scales are stored elsewhere.
     I32EnumAttrCase<"Int8_Scaled", 18, "int8_scaled">,
     I32EnumAttrCase<"Int16_Scaled", 19, "int16_scaled">,
     I32EnumAttrCase<"IQ4_XS", 20, "iq4_xs">, I32EnumAttrCase<"NVFP4", 21, "nvfp4">,
     // Formats that programs read as floats:
     // compiler/checkpoint/CodebookFormats.h.
     I32EnumAttrCase<"IQ2_XXS", 22, "iq2_xxs">, I32EnumAttrCase<"IQ2_XS", 23, "iq2_xs">,
     I32EnumAttrCase<"IQ2_S", 24, "iq2_s">, I32EnumAttrCase<"IQ3_XXS", 25, "iq3_xxs">,
     I32EnumAttrCase<"IQ3_S", 26, "iq3_s">, I32EnumAttrCase<"IQ1_S", 27, "iq1_s">,
     I32EnumAttrCase<"IQ1_M", 28, "iq1_m">, I32EnumAttrCase<"TQ1_0", 29, "tq1_0">,
     I32EnumAttrCase<"TQ2_0", 30, "tq2_0">]>;
def Xf_FormatAttr : EnumAttr<Xf_Dialect, Xf_Format, "format">;

// The arena belongs to a session and its slots are reused; arguments and
// results belong to the caller; a cache keeps its content between calls.
def Xf_BufferKind : Xf_Enum<"BufferKind", "the memory that a value lies in",
    [I32EnumAttrCase<"Arena", 0, "arena">,
     I32EnumAttrCase<"Argument", 1, "argument">,
     I32EnumAttrCase<"Result", 2, "result">,
     I32EnumAttrCase<"Cache", 3, "cache">]>;

class Xf_Attribute<string cppName, string attrMnemonic>
    : AttrDef<Xf_Dialect, cppName> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Xf_ExactAttr : Xf_Attribute<"Exact", "exact"> {
  let summary = "an exact scalar: sign × ∏ base^exponent";
  let description = [{
    Printed in human-readable form: `#xf.exact<"1/sqrt(32)">`,
    `#xf.exact<"11/50">`. Two attributes are equal exactly when the scalars are
    equal. See ExactScalar.h.
  }];
  // The canonical text identifies the value: ExactScalar::str is injective.
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let builders = [AttrBuilder<(ins "const ::transfold::ExactScalar &":$value)>];
  let extraClassDeclaration = [{
    ::transfold::ExactScalar getValue() const;
    double toDouble() const;
  }];
}

def Xf_DefinitionAttr : Xf_Attribute<"Definition", "definition"> {
  let summary = "a value defined by index";
  let description = [{
    `#xf.definition<"[t, c] = sin(t / 10000^(c / 64))">`: an index name for each
    axis, and a scalar expression of the indices, computed in double. `%0[…]`
    reads an array operand. See IndexExpr.h.
  }];
  // The canonical text identifies the definition.
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let builders = [AttrBuilder<(ins "const ::transfold::IndexDefinition &":$value)>];
  let extraClassDeclaration = "::transfold::IndexDefinition getValue() const;";
}

def Xf_MaskAttr : Xf_Attribute<"Mask", "mask"> {
  let summary = "which keys j a query at position i may attend to";
  let description = [{
    A conjunction of comparisons that are linear in i and j: `#xf.mask<[j <= i,
    i - j <= 4095]>`. They are kept as an integer set, so that a pass can prove
    what it needs: that no later key is visible, or how far back the window
    reaches.
  }];
  let parameters = (ins "::mlir::IntegerSet":$set);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// query · i + key · j + constant >= 0, or = 0 if `isEquality`.
    struct Comparison {
      int64_t query, key, constant;
      bool isEquality;
    };
    ::llvm::SmallVector<Comparison> getComparisons() const;
    /// Whether key `j` is visible to query `i`.
    bool holds(int64_t i, int64_t j) const;
    /// Whether every visible key is at the position of the query or before it.
    bool isCausal() const;
    /// The largest i - j that is visible; nullopt if unbounded.
    std::optional<int64_t> getFarthestBack() const;
  }];
}

def Xf_LayoutAttr : Xf_Attribute<"Layout", "layout"> {
  let summary = "how a weight's axes are laid out in a stored tensor";
  let description = [{
    One pair of parentheses for each axis: its factors as size:stride, slowest
    first, in elements of the stored tensor, starting at an offset. A matrix
    that is stored transposed is `#xf.layout<([384:1], [1536:384])>`; heads cut
    from fused columns are `#xf.layout<([12:32], [384:1152], [32:1]) + 384>`.
  }];
  let parameters = (ins "int64_t":$offset,
                        ArrayRefParameter<"int64_t">:$factorCounts,
                        ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$strides);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getFactorCounts().size(); }
    /// Size of axis `axis`: the product of its factors.
    int64_t getExtent(unsigned axis) const;
  }];
}

def Xf_TensorsAttr : AttrDef<Xf_Dialect, "Tensors"> {
  let mnemonic = "tensors";
  let summary = "several tensors of a checkpoint read as one";
  let description = [{
    `#xf.tensors<["i"], [8], 4096>`: the tensors named by `"experts.{i}.w1"` for
    each i below 8, concatenated; `size` elements are read of each. The strides
    of a layout count through all of them: an axis of members is `[8:4096]`.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$indices,
                        ArrayRefParameter<"int64_t">:$extents, "int64_t":$size);
  let assemblyFormat = "`<` $indices `,` `[` $extents `]` `,` $size `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of tensors.
    int64_t getCount() const;
  }];
}

def Xf_PanelsAttr : AttrDef<Xf_Dialect, "Panels"> {
  let mnemonic = "panels";
  let summary = "a packed weight: panels of columns";
  let description = [{
    W<k, c> is stored as [ceil(c / width)][k][width], missing columns as zeros:
    a kernel reads a panel sequentially, `width` elements at a time. For a
    family W<i, k, c> the rows of all members follow each other, as in W<(i k),
    c>. With `<32, 2>` two rows are interleaved, [ceil(c / width)][k /
    2][width][2]: pairs of 16-bit elements that processors load as one 32-bit
    word. A pair consists of rows i and i + 16 of each 32, so that the values
    which they are multiplied with are contiguous in vectors, too.
  }];
  let parameters = (ins "int64_t":$width,
                        DefaultValuedParameter<"int64_t", "1">:$interleaved);
  let assemblyFormat = "`<` $width (`,` $interleaved^)? `>`";
  let extraClassDeclaration = [{
    /// The distance of the two rows of a pair in the matrix.
    static constexpr int64_t distance = 16;
    /// The extents for a weight of that shape, in places: width of a panel's
    /// row, rows, panels.
    ::llvm::SmallVector<int64_t>
    getExtents(::llvm::ArrayRef<::mlir::Attribute> shape) const;
  }];
  let genVerifyDecl = 1;
}

def Xf_SourceAttr : Xf_Attribute<"Source", "source"> {
  let summary = "the checkpoint tensor that a weight is read from";
  let description = [{
    `#xf.source<"blocks.{l}.W" in bf16>`: the name, in which `{l}` stands for
    the index of a member, and the format of the elements unless it is f32.

    `each` lists several tensors that are read as one. Where one tensor holds
    all members, consecutive members are `step` elements apart (0 if all members
    are the same). `plus` is added to each element: 1 for gains that are stored
    as γ − 1.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "Format":$format,
      OptionalParameter<"::transfold::xf::TensorsAttr">:$tensors,
      OptionalParameter<"std::optional<int64_t>">:$step,
      OptionalParameter<"::transfold::xf::ExactAttr">:$added);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Parses and prints the text between the angle brackets.
    static ::mlir::FailureOr<SourceAttr> parseBody(::mlir::AsmParser &parser);
    void printBody(::mlir::AsmPrinter &printer) const;
  }];
}

def Xf_ChainAttr : AttrDef<Xf_Dialect, "Chain"> {
  let mnemonic = "chain";
  let summary = "the members of several weights, concatenated";
  let description = [{
    `#xf.chain<[@norm.β, @layers.norm_2.β], 1>`: all members of the first
    weight, then those of the next; the first `skipped` members of the
    concatenation, here 1, are left out.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$parts,
                        DefaultValuedParameter<"int64_t", "0">:$skipped);
  let assemblyFormat = "`<` $parts (`,` $skipped^)? `>`";
  let genVerifyDecl = 1;
}

def Xf_FactorsAttr : AttrDef<Xf_Dialect, "Factors"> {
  let mnemonic = "factors";
  let summary =
      "which factor of xf.channel_scales applies to each element of a tensor";
  let description = [{
    `#xf.factors<channels = @c, layout = <([384:1])>>`: the element of a tensor
    at position k of the layout has factor k of `@c`, whatever its indices along
    the other axes; with `inverse`, 1 divided by that factor. `numbers` maps k
    to the index of the factor where it is not k itself: two query heads that
    share one value head have the same factors.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$channels,
      "::transfold::xf::LayoutAttr":$layout,
      OptionalArrayRefParameter<"int64_t">:$numbers,
      DefaultValuedParameter<"bool", "false">:$inverse);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Xf_StorageAttr : AttrDef<Xf_Dialect, "Storage"> {
  let mnemonic = "storage";
  let summary = "how a weight is stored in the program's file";
  let description = [{
    The format and the order of its elements: `#xf.storage<bf16>` means rows of
    bfloat16, `#xf.storage<bf16, <32, 2>>` panels of 32 columns with two rows
    interleaved. Kernels state it for their arguments (`xf.storage`), weights
    for themselves once they are placed. docs/architecture.md describes one
    more.
  }];
  let parameters = (ins EnumParameter<Xf_Format>:$format,
                        OptionalParameter<"::transfold::xf::PanelsAttr">:$panels);
  let assemblyFormat = "`<` $format (`,` $panels^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements of a weight of that shape, including the padding of panels.
    int64_t getNumbers(::llvm::ArrayRef<::mlir::Attribute> shape) const;
    int64_t getBytes(::llvm::ArrayRef<::mlir::Attribute> shape) const;
    /// Extents, fastest first, of a kernel's buffer for a weight of that shape.
    /// A place of the buffer holds one element, a pair of interleaved ones, or a
    /// word of 4 bytes for block formats.
    ::llvm::SmallVector<int64_t>
    getExtents(::llvm::ArrayRef<::mlir::Attribute> shape) const;
    /// The bits of a place, and whether a kernel gets a place as a float of
    /// that many bits; otherwise it is an unsigned integer, which the kernel
    /// unpacks.
    unsigned getPlaceBits() const;
    bool isPlaceFloat() const;
  }];
}

def Xf_PlaceAttr : AttrDef<Xf_Dialect, "Place"> {
  let mnemonic = "place";
  let summary = "where and how a weight is stored in the program's file";
  let description = [{
    `#xf.place<storage = <bf16>, offset = 64, stride = 4096>`: the first member
    begins at byte 64 of the payload; consecutive members are 4096 bytes apart.
  }];
  let parameters = (ins "::transfold::xf::StorageAttr":$storage,
                        "int64_t":$offset, "int64_t":$stride);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Xf_BufferAttr : AttrDef<Xf_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "where a value is stored";
  let description = [{
    `#xf.buffer<"opencl", arena, 3>`: slot 3 of a device's scratch memory;
    `argument` and `result` are the caller's, by index; `cache` is the memory of
    a sequence.
  }];
  let parameters = (ins StringRefParameter<"memory space">:$space,
                        EnumParameter<Xf_BufferKind>:$kind,
                        "int64_t":$index);
  let assemblyFormat = "`<` $space `,` $kind `,` $index `>`";
  let genVerifyDecl = 1;
}

#endif // TRANSFOLD_DIALECT_XFATTRIBUTES_TD
