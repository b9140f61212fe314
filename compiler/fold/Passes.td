// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_FOLD_PASSES_TD
#define TRANSFOLD_COMPILER_FOLD_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectResults : Pass<"xf-select-results", "::mlir::ModuleOp"> {
  let summary = "Removes the results of entries that are not requested";
  let description = [{
    Removes unobservable results before constants move: the law of an operation
    without readers would constrain the values that it reads. If an entry
    generates tokens, they come from its first result; its other results are
    marked `xf.on_request`, since an observable hidden state keeps the gains of
    the last norm out of the output head.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"results", "results", "std::string",
               "Names of the results to keep, or `all`; by default, those that "
               "are not marked xf.on_request">
  ];
}

def MoveBiases : Pass<"xf-move-biases", "::mlir::ModuleOp"> {
  let summary =
      "Moves biases to where others are added, or removes those without "
      "effect";
  let description = [{
    (x + b) W + c = x W + (b W + c): the bias of a norm is added with those of
    the contractions that read it, the bias of values with that of the output,
    and the bias of keys not at all. Each operation states what its result lacks
    if an operand lacks a row (ShiftLaw.h). A bias moves if all its readers are
    compensated and fewer elements are added than before. The pass adds lines of
    the ledger, xf.moved.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Names of biases that must not be moved">
  ];
  let statistics = [
    Statistic<"moved", "biases-moved", "Additions removed">,
    Statistic<"stayed", "biases-left", "Biases that stay where they are">
  ];
}

def MoveGains : Pass<"xf-move-gains", "::mlir::ModuleOp"> {
  let summary = "Moves gains into the matrices that read them";
  let description = [{
    (x diag(g)) W = x (diag(g) W): the gain of a norm is multiplied into the
    rows of the matrices that read the norm. Each operation states what its
    result lacks if an operand lacks a gain (GainLaw.h). A matrix of 16 bits is
    not rounded again, and no matrix is stored twice.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Names of gains that must not be moved">
  ];
  let statistics = [
    Statistic<"moved", "gains-moved", "Gains that were moved into matrices">,
    Statistic<"stayed", "gains-left", "Gains that stay where they are">
  ];
}

def Reassociate : Pass<"xf-reassociate", "::mlir::ModuleOp"> {
  let summary = "Computes products of several factors in the cheapest order";
  let description = [{
    (A B) C = A (B C): of the orders of a chain of contractions the pass chooses
    one that costs fewer multiply-adds for all lengths; weights are multiplied
    when the program is made if their product is not larger than they are. In
    an entry that generates, keys and values that are products with weights of
    the heads are replaced by the rows that they are computed from if a decode
    step is then cheaper: these rows are kept once for all heads. The pass adds
    lines of the ledger, xf.moved "order".
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "'order' or names of weights: products that keep their order">
  ];
  let statistics = [
    Statistic<"reordered", "chains-reordered", "Chains computed in another order">,
    Statistic<"absorbed", "attentions-absorbed",
               "Attentions whose matrices of heads are multiplied with queries">,
    Statistic<"left", "orders-left", "Cheaper orders that options rule out">
  ];
}

def FoldGauges : Pass<"xf-fold-gauges", "::mlir::ModuleOp"> {
  let summary = "Moves constants of the equations to where they cost nothing";
  let description = [{
    Each value may be stored with a factor. The laws of the operations determine
    which combinations of factors are equivalent to the equations; among these
    the pass chooses one that leaves the fewest multiplications, and then
    changes the fewest elements. It writes a ledger, xf.folded.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Constants that must not be folded, as the spec writes them; "
               "'all' for all">,
    Option<"namesWeights", "names-weights", "bool", "false",
           "Also accept names of weights, which xf-equalize-channels handles "
           "later">,
    Option<"intoLowPrecision", "into-low-precision", "bool", "false",
           "Permit rounding weights of 16 bits again">,
    Option<"remarks", "remarks", "bool", "false",
           "Emit a remark that says where each constant went">
  ];
  let statistics = [
    Statistic<"folded", "constants-folded",
               "Constants that no longer cost anything">,
    Statistic<"left", "multiplications-left", "xf.scale operations that are left">
  ];
}

def QuantizeWeights : Pass<"xf-quantize-weights", "::mlir::ModuleOp"> {
  let summary = "Quantizes matrices of floats to fewer bits";
  let description = [{
    Not exact: QuantizeWeights.cpp states the error. Runs after constants are
    folded and before products are rounded.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    Option<"to", "to", "::transfold::fold::Weights",
           "::transfold::fold::Weights::Int8", "The format to round to",
           [{::llvm::cl::values(
             clEnumValN(::transfold::fold::Weights::BF16, "bf16", "bfloat16"),
             clEnumValN(::transfold::fold::Weights::Int8, "int8",
                        "int8_64 or q8_0: 8 bits, one scale for 64 or 32 elements"),
             clEnumValN(::transfold::fold::Weights::Int5, "int5",
                        "q5_1: 5 bits, one scale and minimum for 32 elements"),
             clEnumValN(::transfold::fold::Weights::Int4, "int4",
                        "q4_1: 4 bits, one scale and minimum for 32 elements"))}]>
  ];
  let statistics = [
    Statistic<"quantized", "weights-quantized", "Weights that were quantized">,
    Statistic<"left", "matrices-left", "Matrices that were not quantized">
  ];
}

def EqualizeChannels : Pass<"xf-equalize-channels", "::mlir::ModuleOp"> {
  let summary = "Assigns factors to channels that are not observable";
  let description = [{
    (x diag(1/g)) (diag(g) W) = x W: the channels that quantized matrices sum
    over may have any factors g if their producer is divided by g. The pass adds
    xf.channel_scales, which are 1 until they are measured, and lines of the ledger.
    Runs after xf-quantize-weights, which determines what is rounded.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Names of weights whose channels get no factors">,
    Option<"random", "random", "unsigned", "0",
           "Seed of random factors, which change no result">
  ];
  let statistics = [
    Statistic<"equalized", "channels-equalized", "Weights with factors of channels">,
    Statistic<"left", "channels-left",
               "Weights whose readers do not permit factors">
  ];
}

def RoundProducts : Pass<"xf-round-products", "::mlir::ModuleOp"> {
  let summary =
      "Rounds the operands that are multiplied by weights of few bits";
  let description = [{
    Not exact: RoundProducts.cpp states the error. Processors then multiply
    several elements with one instruction: two of bfloat16, four of 8 bits.
  }];
  let options = [
    Option<"to", "to", "::transfold::fold::Products",
           "::transfold::fold::Products::BF16", "The format to round to",
           [{::llvm::cl::values(
             clEnumValN(::transfold::fold::Products::BF16, "bf16",
                        "bfloat16, where weights are"),
             clEnumValN(::transfold::fold::Products::Int8, "int8",
                        "8 bits, where weights are in blocks"))}]>,
    Option<"attention", "attention", "bool", "true",
           "Whether products around a softmax are rounded to bfloat16, too">
  ];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"rounds", "products-rounded", "Contractions with rounded operands">,
    Statistic<"attentions", "attention-products-rounded",
              "Contractions around a softmax whose operands are rounded">,
    Statistic<"exact", "products-exact", "Contractions with weights that stay exact">
  ];
}

def TapLayers : Pass<"xf-tap-layers", "::mlir::ModuleOp"> {
  let summary = "Makes the values that layers yield results of their entries";
  let description = [{
    Allows two ways of computing a model to be compared layer by layer, by the
    names of the results: ENTRY.layer0, ENTRY.layer1, ….
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"tapped", "values-tapped", "Values that became results">
  ];
}

#endif // TRANSFOLD_COMPILER_FOLD_PASSES_TD
