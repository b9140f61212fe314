// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_FUSE_PASSES_TD
#define TRANSFOLD_COMPILER_FUSE_PASSES_TD

include "mlir/Pass/PassBase.td"

def UnrollFamilies : Pass<"xf-unroll-families", "::mlir::ModuleOp"> {
  let summary = "Sums over chosen experts, expert by expert";
  let description = [{
    A sum over a family of which each row chooses some members becomes additions,
    and what is summed is computed for each member. Members of weights are views of
    the stored tensors.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"unrolled", "sums-unrolled", "Sums made member by member">
  ];
}

def ComputeChosen : Pass<"xf-compute-chosen", "::mlir::ModuleOp"> {
  let summary = "Rows that are multiplied with zero are not computed";
  let description = [{
    Of a sum over experts, each weighed with a number that is zero unless the row
    chose the expert, an expert gets the rows that chose it.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"grouped", "products-grouped", "Values made for chosen rows alone">
  ];
}

def ListChosen : Pass<"xf-list-chosen", "::mlir::ModuleOp"> {
  let summary = "Experts of a device compute the rows that chose them";
  let description = [{
    Of a sum over experts, each weighed with a number that is zero unless the row
    chose the expert, an expert gets a list of the rows that chose it. How long
    lists are, only the device knows. All experts stay one operation.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"listed", "sums-listed", "Sums over experts that got lists">
  ];
}

def MergeFamilies : Pass<"xf-merge-families", "::mlir::ModuleOp"> {
  let summary = "Families of weights become columns of one matrix";
  let description = [{
    x[n, k] @ W[i, k, c] for all heads i is x @ W' with W'[k, (i c)]: one wide
    product instead of many narrow ones. The rearranged weight is a new view of
    the same stored tensor; the split of the result moves nothing in memory.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"merged", "contractions-merged", "Contractions brought to x[n, k] @ W[k, c]">
  ];
}

def MergeHeads : Pass<"xf-merge-heads", "::mlir::ModuleOp"> {
  let summary = "A family of families of heads becomes one family";
  let description = [{
    softmax(Q[a, b] @ K[a]') @ V[a] is an attention of heads h = a g + b, whose keys
    and values are repeated: what an attention's kernel is made for.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"merged", "attentions-merged", "Attentions that got one axis of heads">
  ];
}

def FormKernels : Pass<"xf-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Anchors with what surrounds them become kernels";
  let description = [{
    An anchor (attention, contraction, row norm, reduction) takes the operations
    around it that need no pass over memory of their own; each such region is one
    xf.kernel and an xf.launch. Equal kernels are one.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    Option<"onDevice", "on-device", "bool", "false",
           "Also join regions where a launch costs more than what it saves">
  ];
  let statistics = [
    Statistic<"launches", "launches", "Regions formed">,
    Statistic<"kernels", "kernels", "Different kernels among them">
  ];
}

#endif // TRANSFOLD_COMPILER_FUSE_PASSES_TD
