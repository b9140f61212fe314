// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for several targets has a module for each, which all come from the
// same equations. What they make of the weights differs at most in how these
// are stored, so that most lie in the file once:
//
//   first   xf.stored @W.panels … at <storage = <bf16, <32>>, offset = 4096, …>
//   second  xf.stored @W.panels … at <storage = <bf16, <32>>, offset = 0, …>
//             becomes                                         offset = 4096
//
// Exact: two weights share a place where all that is said of them but their
// names and places is the same, also of those that they are computed from.

#include "compiler/weights/SharePlaces.h"

#include "compiler/weights/WriteWeights.h"
#include "dialect/Dialect.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/raw_ostream.h>

using namespace mlir;
using namespace transfold;

/// All that is said of a weight, but its name and its offset. Names within are
/// followed by what they stand for.
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
