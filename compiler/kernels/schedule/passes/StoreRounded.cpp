// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that a kernel rounds at its end are stored in the rounded format.
//
// Before:
//   xf.kernel @contract_round(%x, %W) -> !xf.real<n, 64> {
//     … %r = xf.round %y to "bf16"; xf.return %r
//   }
//   xf.cache @decode.0 : !xf.real<n, 64>
//     %k = xf.launch @contract_round(%x, %W)
//     xf.cache_write %k in @decode.0 …
// After:
//   xf.kernel @contract_round(%x, %W) -> (!xf.real<n, 64>
//                                         {xf.storage = #xf.storage<bf16>})
//   xf.cache @decode.0 : !xf.real<n, 64> in "bf16"
//
// This is exact: such values are bfloat16 already. Only kernels and caches can
// read formats other than float32, so a value that another operation reads
// stays float32. All values that are kept in a cache have one format, and so
// have all results of a kernel.

#include "compiler/kernels/schedule/choose/StoredOperands.h"

#include "dialect/weights/StoredValues.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;

/// Whether all results of a kernel are rounded to bfloat16.
static bool isRounded(xf::KernelOp kernel) {
  Value result = kernel.getBody().front().getTerminator()->getOperand(0);
  return result.getDefiningOp() &&
         xf::formatOf(kernel, result) == xf::Format::BF16;
}

// Sets the storage format of a kernel's result.
static void setFormat(xf::KernelOp kernel, xf::Format format) {
  if (format == xf::Format::F32)
    kernel.removeResultAttr(0,
                            StringAttr::get(kernel.getContext(), "xf.storage"));
  else
    kernel.setResultAttr(
        0, "xf.storage",
        xf::StorageAttr::get(kernel.getContext(), format, xf::PanelsAttr()));
}

/// The cache that rows are written to; null if the symbol is not found.
static xf::CacheOp cacheOf(xf::CacheWriteOp keep) {
  return SymbolTable::lookupNearestSymbolFrom<xf::CacheOp>(keep,
                                                           keep.getCacheAttr());
}

/// Whether only kernels and caches read `value`, and the caches store it in
/// `format`.
static bool isReadSo(Value value, xf::Format format) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<xf::RearrangeOp>(user))
      return isReadSo(view.getResult(), format);
    if (auto keep = dyn_cast<xf::CacheWriteOp>(user)) {
      xf::CacheOp cache = cacheOf(keep);
      return cache && cache.getFormat() == format;
    }
    return isa<xf::LaunchOp>(user);
  });
}

unsigned kernels::storeRounded(ModuleOp module, bool inCaches) {
  constexpr xf::Format format = xf::Format::BF16;
  SmallVector<std::pair<xf::KernelOp, SmallVector<xf::LaunchOp>>> narrow;
  for (auto kernel : module.getOps<xf::KernelOp>()) {
    if (kernel.getTarget() || !isRounded(kernel))
      continue;
    if (auto launches = launchesOf(kernel)) {
      setFormat(kernel, format);
      narrow.emplace_back(kernel, std::move(*launches));
    }
  }
  if (inCaches)
    for (auto cache : module.getOps<xf::CacheOp>())
      cache.setFormat(format);
  // Starts with all candidates: if one reader or one writer of a value requires
  // float32, the others do, too; repeated until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    module.walk([&](xf::CacheWriteOp keep) {
      xf::CacheOp cache = cacheOf(keep);
      if (cache && cache.getFormat() &&
          xf::formatOf(keep.getValue()) != format) {
        cache.removeFormatAttr();
        changed = true;
      }
    });
    llvm::erase_if(narrow, [&](const auto &own) {
      if (llvm::all_of(own.second, [&](xf::LaunchOp launch) {
            return isReadSo(launch.getResult(), format);
          }))
        return false;
      setFormat(own.first, xf::Format::F32);
      return changed = true;
    });
  }
  return narrow.size();
}

void kernels::readRounded(ModuleOp module) {
  for (auto kernel : module.getOps<xf::KernelOp>()) {
    auto launches = launchesOf(kernel);
    if (!launches || launches->empty() || kernel.getTarget())
      continue;
    for (auto [number, operand] :
         llvm::enumerate(launches->front().getOperands()))
      if (xf::Format format = xf::formatOf(operand); format != xf::Format::F32)
        kernel.setArgAttr(number, "xf.storage",
                          xf::StorageAttr::get(kernel.getContext(), format,
                                               xf::PanelsAttr()));
  }
}
