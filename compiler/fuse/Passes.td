// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_FUSE_PASSES_TD
#define TRANSFOLD_COMPILER_FUSE_PASSES_TD

include "mlir/Pass/PassBase.td"

def UnrollFamilies : Pass<"xf-unroll-families", "::mlir::ModuleOp"> {
  let summary = "Unrolls sums over chosen experts, expert by expert";
  let description = [{
    A sum over a family of which each row chooses some members becomes a chain
    of additions, and its operand is computed per member. Members of weights
    become views of the stored tensors.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"unrolled", "sums-unrolled", "Sums that were unrolled">
  ];
}

def ComputeChosen : Pass<"xf-compute-chosen", "::mlir::ModuleOp"> {
  let summary = "Skips rows that are multiplied by zero";
  let description = [{
    In a sum over experts, each weighted by a value that is zero unless the row
    chose the expert, an expert computes only the rows that chose it.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"grouped", "products-grouped", "Values computed for chosen rows only">
  ];
}

def ListChosen : Pass<"xf-list-chosen", "::mlir::ModuleOp"> {
  let summary = "On devices, computes each expert on the rows that chose it";
  let description = [{
    In a sum over experts, each weighted by a value that is zero unless the row
    chose the expert, an expert gets a list of the rows that chose it. Only the
    device knows the lengths of the lists. All experts stay one operation.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"listed", "sums-listed", "Sums over experts that use lists of rows">
  ];
}

def MergeFamilies : Pass<"xf-merge-families", "::mlir::ModuleOp"> {
  let summary = "Merges families of weights into the columns of one matrix";
  let description = [{
    x[n, k] @ W[i, k, c] for all heads i is x @ W' with W'[k, (i c)]: one wide
    contraction instead of many narrow ones. The rearranged weight is another
    view of the same stored tensor; splitting the result moves no data.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"merged", "contractions-merged",
               "Contractions rewritten as x[n, k] @ W[k, c]">
  ];
}

def MergeHeads : Pass<"xf-merge-heads", "::mlir::ModuleOp"> {
  let summary = "Merges several axes of heads into one";
  let description = [{
    softmax(Q[a, b] @ K[a]') @ V[a] is an attention of heads h = a g + b whose
    keys and values are repeated, which the attention kernel supports.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"merged", "attentions-merged",
               "Attentions whose axes of heads were merged">
  ];
}

def FormKernels : Pass<"xf-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Forms kernels from anchors and the operations around them";
  let description = [{
    An anchor (attention, contraction, row norm, reduction) takes the
    surrounding operations that need no separate pass over memory; each such
    region becomes an xf.kernel and an xf.launch. Equal kernels are shared.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    Option<"onDevice", "on-device", "bool", "false",
           "Also join regions where a launch costs more than it saves">
  ];
  let statistics = [
    Statistic<"launches", "launches", "Regions formed">,
    Statistic<"kernels", "kernels", "Distinct kernels among the regions">
  ];
}

#endif // TRANSFOLD_COMPILER_FUSE_PASSES_TD
