// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_FOLD_PASSES_TD
#define TRANSFOLD_COMPILER_FOLD_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectResults : Pass<"xf-select-results", "::mlir::ModuleOp"> {
  let summary = "Entries keep the results that are asked for";
  let description = [{
    What nothing observes is removed before constants move: the law of an
    operation that nobody reads would bind the values that it reads. Where an entry
    makes tokens, they come from its first result; the others are marked
    `xf.on_request`, since a hidden state that somebody sees keeps the gains of the
    last norm out of the head.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"results", "results", "std::string",
               "Names of the results to keep, or `all`; without any, those that "
               "are not marked xf.on_request">
  ];
}

def MoveBiases : Pass<"xf-move-biases", "::mlir::ModuleOp"> {
  let summary = "Biases move to where others are added, or nobody sees them";
  let description = [{
    (x + b) W + c = x W + (b W + c): the bias of a norm is added with those of the
    products that read it, the bias of values with that of the output, and the bias
    of keys not at all. Each operation says what its result lacks where an operand
    lacks a row (ShiftLaw.h). A bias moves if all its readers are compensated, and
    fewer numbers are added than before. The module gets lines of the ledger,
    xf.moved.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string", "Biases that stay, by name">
  ];
  let statistics = [
    Statistic<"moved", "biases-moved", "Additions removed">,
    Statistic<"stayed", "biases-left", "Biases that are added where they were">
  ];
}

def MoveGains : Pass<"xf-move-gains", "::mlir::ModuleOp"> {
  let summary = "Gains move into the matrices that read them";
  let description = [{
    (x diag(g)) W = x (diag(g) W): the gain of a norm is in the rows of the products
    that read it. Each operation says what its result lacks where an operand lacks
    a gain (GainLaw.h). No matrix of 16 bits is rounded again, and none is stored
    twice.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string", "Gains that stay, by name">
  ];
  let statistics = [
    Statistic<"moved", "gains-moved", "Gains that matrices took over">,
    Statistic<"stayed", "gains-left", "Gains that are multiplied with as before">
  ];
}

def FoldGauges : Pass<"xf-fold-gauges", "::mlir::ModuleOp"> {
  let summary = "Constants of the equations move to where they cost nothing";
  let description = [{
    Each value may be stored with a factor. The laws of the operations say which
    factors together compute what the equations say; of all that do, those are
    chosen that leave the fewest multiplications, then change the fewest numbers.
    The module gets a ledger, xf.folded.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Constants that stay, as the spec has them; 'all' for all">,
    Option<"namesWeights", "names-weights", "bool", "false",
           "Names of weights are no mistake: xf-equalize-channels comes later">,
    Option<"intoLowPrecision", "into-low-precision", "bool", "false",
           "Weights of 16 bits may be rounded again">,
    Option<"remarks", "remarks", "bool", "false",
           "Say of each constant where it went">
  ];
  let statistics = [
    Statistic<"folded", "constants-folded", "Constants that cost nothing any more">,
    Statistic<"left", "multiplications-left", "xf.scale that are left">
  ];
}

def QuantizeWeights : Pass<"xf-quantize-weights", "::mlir::ModuleOp"> {
  let summary = "Matrices of floats become numbers of fewer bits";
  let description = [{
    Not exact: QuantizeWeights.cpp says by how much. Behind the folding of
    constants, and before products are rounded.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    Option<"to", "to", "::transfold::fold::Weights",
           "::transfold::fold::Weights::Int8", "What to round to",
           [{::llvm::cl::values(
             clEnumValN(::transfold::fold::Weights::BF16, "bf16", "bfloat16"),
             clEnumValN(::transfold::fold::Weights::Int8, "int8",
                        "int8_64 or q8_0: 8 bits, 64 or 32 with a scale"),
             clEnumValN(::transfold::fold::Weights::Int5, "int5",
                        "q5_1: 5 bits, 32 with a scale and a minimum"),
             clEnumValN(::transfold::fold::Weights::Int4, "int4",
                        "q4_1: 4 bits, 32 with a scale and a minimum"))}]>
  ];
  let statistics = [
    Statistic<"quantized", "weights-quantized", "Weights of fewer bits">,
    Statistic<"left", "matrices-left", "Matrices that stay as they are">
  ];
}

def EqualizeChannels : Pass<"xf-equalize-channels", "::mlir::ModuleOp"> {
  let summary = "Channels that nobody else sees get factors of their own";
  let description = [{
    (x diag(1/g)) (diag(g) W) = x W: of what quantised matrices sum over, the
    channels may have any factors g, if what makes them divides by g. The module
    gets xf.channels, which are 1 until they are measured, and lines of the ledger.
    Behind xf-quantize-weights, which says what is rounded.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"keep", "keep", "std::string", "Weights that keep their channels">,
    Option<"random", "random", "unsigned", "0",
           "Factors are random numbers of that seed: they change no result">
  ];
  let statistics = [
    Statistic<"equalized", "channels-equalized", "Weights with factors of channels">,
    Statistic<"left", "channels-left", "Weights where a reader objects">
  ];
}

def RoundProducts : Pass<"xf-round-products", "::mlir::ModuleOp"> {
  let summary = "What meets weights of few bits is rounded, too";
  let description = [{
    Not exact: RoundProducts.cpp says by how much. Processors then multiply
    several numbers with one instruction: two of bfloat16, four of 8 bits.
  }];
  let options = [
    Option<"to", "to", "::transfold::fold::Products",
           "::transfold::fold::Products::BF16", "What to round to",
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
  let summary = "What layers make becomes results of their entries";
  let description = [{
    So that two ways to compute a model can be compared layer by layer, by the
    names of their results: ENTRY.layer0, ENTRY.layer1, ….
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"tapped", "values-tapped", "Values that became results">
  ];
}

#endif // TRANSFOLD_COMPILER_FOLD_PASSES_TD
