// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over locations: FusedLoc has alternatives, CallSiteLoc a place and its
// call, which is again a location.

#include "dialect/Places.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;

FileLineColLoc xf::placeOf(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(location))
    return placeOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location each : fused.getLocations())
      if (auto found = placeOf(each))
        return found;
  return {};
}

Location xf::writtenAt(Location location) {
  if (auto file = placeOf(location))
    return file;
  return UnknownLoc::get(location.getContext());
}

/// Appends the chains of `location`.
static void collect(Location location, SmallVectorImpl<xf::PlaceChain> &all) {
  auto add = [&](xf::PlaceChain chain) {
    if (!chain.empty() && !llvm::is_contained(all, chain))
      all.push_back(std::move(chain));
  };
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return add({file});
  if (auto name = dyn_cast<NameLoc>(location))
    return collect(name.getChildLoc(), all);
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location each : fused.getLocations())
      collect(each, all);
    return;
  }
  auto call = dyn_cast<CallSiteLoc>(location);
  if (!call)
    return;
  for (const xf::PlaceChain &inner : xf::chainsOf(call.getCallee())) {
    SmallVector<xf::PlaceChain> outer = xf::chainsOf(call.getCaller());
    if (outer.empty())
      add(inner);
    for (const xf::PlaceChain &rest : outer) {
      xf::PlaceChain chain = inner;
      chain.append(rest);
      add(std::move(chain));
    }
  }
}

SmallVector<xf::PlaceChain> xf::chainsOf(Location location) {
  SmallVector<PlaceChain> all;
  collect(location, all);
  return all;
}

void xf::addPlaces(Operation *op, Location other) {
  if (op->getLoc() != other)
    op->setLoc(FusedLoc::get(op->getContext(), {op->getLoc(), other}));
}
