// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel reads an argument in one format; if launches pass weights in
// several, each format gets a kernel of its own.
//
// Before:
//   %y = xf.launch @contract(%x, %V0)             // a weight in q5_0
//   %z = xf.launch @contract(%x, %V1)             // a weight in q8_0
// After:
//   %y = xf.launch @contract(%x, %V0)
//   %z = xf.launch @contract_q8_0(%x, %V1)        // a copy of the kernel
//
// This is exact: the kernels compute the same. Otherwise neither weight could
// keep its format.

#include "compiler/kernels/schedule/choose/StoredOperands.h"
#include "dialect/weights/StoredValues.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;

/// The format of each operand that is a matrix of weights with the checkpoint's
/// unchanged values, or that another kernel stores in fewer bits; nullopt for
/// others.
static SmallVector<std::optional<xf::Format>> formatsOf(xf::LaunchOp launch) {
  SmallVector<std::optional<xf::Format>> formats;
  for (Value operand : launch.getOperands()) {
    if (xf::Format made = xf::formatOf(operand); made != xf::Format::F32) {
      formats.emplace_back(made);
      continue;
    }
    xf::StoredOp stored = xf::storedOf(operand);
    bool isMatrix = stored && xf::getShape(stored.getType()).size() >= 2;
    formats.push_back(isMatrix ? stored.getExactFormat() : std::nullopt);
  }
  return formats;
}

/// "_q8_0": the formats of a copy that differ from those of the first kernel.
static std::string differenceOf(ArrayRef<std::optional<xf::Format>> own,
                                ArrayRef<std::optional<xf::Format>> first) {
  std::string difference;
  for (auto [a, b] : llvm::zip(own, first))
    if (a != b)
      difference +=
          "_" + xf::stringifyFormat(a.value_or(xf::Format::F32)).str();
  return difference;
}

unsigned kernels::splitByFormats(ModuleOp module) {
  unsigned added = 0;
  SymbolTable symbols(module);
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<xf::KernelOp>())) {
    auto launches = launchesOf(kernel);
    if (!launches || kernel.getTarget())
      continue;
    using Formats = SmallVector<std::optional<xf::Format>>;
    SmallVector<std::pair<Formats, SmallVector<xf::LaunchOp>>> groups;
    for (xf::LaunchOp launch : *launches) {
      Formats formats = formatsOf(launch);
      auto *group = llvm::find_if(
          groups, [&](const auto &each) { return each.first == formats; });
      if (group == groups.end())
        group = &groups.emplace_back(formats, SmallVector<xf::LaunchOp>());
      group->second.push_back(launch);
    }
    for (auto &[formats, own] :
         llvm::drop_begin(groups, groups.empty() ? 0 : 1)) {
      xf::KernelOp copy = kernel.clone();
      copy.setSymName(
          (kernel.getSymName() + differenceOf(formats, groups.front().first))
              .str());
      symbols.insert(copy, std::next(kernel->getIterator()));
      for (xf::LaunchOp launch : own)
        launch.setKernelAttr(FlatSymbolRefAttr::get(copy.getSymNameAttr()));
      ++added;
    }
  }
  return added;
}
