// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for several targets has a module for each, all derived from the
// same equations. Their weights differ at most in how these are stored, so most
// weights are stored only once in the file:
//
//   first   xf.stored @W.panels … at <storage = <bf16, <32>>, offset = 4096, …>
//   second  xf.stored @W.panels … at <storage = <bf16, <32>>, offset = 0, …>
//             becomes                                         offset = 4096
//
// Exact: two weights share a place if everything but their names and places is
// equal, also for the weights that they are computed from.

#include "compiler/weights/SharePlaces.h"

#include "compiler/weights/WriteWeights.h"
#include "dialect/Dialect.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/raw_ostream.h>

using namespace mlir;
using namespace transfold;

/// The complete description of a weight, except for its name and its offset.
/// Names of other weights are followed by their descriptions.
static std::string identityOf(xf::StoredOp stored, ModuleOp module) {
  OwningOpRef<xf::StoredOp> copy = cast<xf::StoredOp>(stored->clone());
  copy->setSymName("");
  copy->removePlaceAttr();
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream);
  if (std::optional<xf::PlaceAttr> place = stored.getPlace())
    stream << place->getStorage() << " " << place->getStride();
  stored->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](SymbolRefAttr name) {
      if (auto source =
              module.lookupSymbol<xf::StoredOp>(name.getLeafReference()))
        stream << identityOf(source, module);
    });
  });
  return text;
}

/// The first module keeps its places, because the others are compared with it
/// first.
void weights::sharePlaces(ArrayRef<ModuleOp> modules) {
  llvm::StringMap<int64_t> offsets;
  int64_t end = payloadBytes(modules.front());
  for (ModuleOp module : modules)
    for (xf::StoredOp stored : placed(module)) {
      xf::PlaceAttr place = *stored.getPlace();
      const bool isOfFirst = module == modules.front();
      auto [known, isNew] = offsets.try_emplace(
          identityOf(stored, module), isOfFirst ? place.getOffset() : end);
      if (isOfFirst)
        continue;
      if (isNew)
        end += place.getStride() * stored.getMembers();
      stored.setPlaceAttr(xf::PlaceAttr::get(place.getContext(),
                                             place.getStorage(), known->second,
                                             place.getStride()));
    }
}
