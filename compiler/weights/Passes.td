// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_WEIGHTS_PASSES_TD
#define TRANSFOLD_COMPILER_WEIGHTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeriveWeights : Pass<"xf-derive-weights", "::mlir::ModuleOp"> {
  let summary = "Computes values that depend on weights alone only once";
  let description = [{
    Arithmetic on weights becomes a weight of its own, an xf.stored with a
    region, if that has no more bytes than the weights that it is computed from.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"derived", "weights-derived", "Weights computed from others">
  ];
}

def PlaceWeights : Pass<"xf-place-weights", "::mlir::ModuleOp"> {
  let summary =
      "Assigns weights their storage and their place in the program's file";
  let description = [{
    Each storage in which kernels read a weight becomes an xf.stored with a
    place: a byte offset (a multiple of 64) and the stride between layers.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"bytes", "bytes", "Size of all weights as the program reads them">
  ];
}

#endif // TRANSFOLD_COMPILER_WEIGHTS_PASSES_TD
