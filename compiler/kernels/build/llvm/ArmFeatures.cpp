// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the attribute that names the features of each function.

#include "compiler/kernels/build/llvm/Rewrites.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Module.h>

using namespace llvm;

void transfold::kernels::keepToProducts(Module &module) {
  if (!module.getTargetTriple().isAArch64())
    return;
  constexpr const char *name = "target-features";
  for (Function &function : module) {
    SmallVector<StringRef> features;
    function.getFnAttribute(name).getValueAsString().split(features, ',');
    if (!is_contained(features, "+v8.6a"))
      continue;
    erase_if(features, [](StringRef each) { return each.starts_with("+v8"); });
    features.push_back("+bf16");
    features.push_back("+i8mm");
    function.addFnAttr(name, join(features, ","));
  }
}
