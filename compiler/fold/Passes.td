// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_FOLD_PASSES_TD
#define TRANSFOLD_COMPILER_FOLD_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectResults : Pass<"xf-select-results", "::mlir::ModuleOp"> {
  let summary = "Entries keep the results that are asked for";
  let description = [{
    What nothing observes is removed before constants move: the law of an
    operation that nobody reads would bind the values that it reads.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"results", "results", "std::string",
               "Names of the results to keep; all where none is given">
  ];
}

def DropKeyBiases : Pass<"xf-drop-key-biases", "::mlir::ModuleOp"> {
  let summary = "A bias of keys that shifts whole rows of scores disappears";
  let description = [{
    softmax(q (k + b)') = softmax(q k' + q b'): q b' is one number for all keys of
    a row, which a softmax does not see.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"dropped", "biases-dropped", "Additions removed">
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
