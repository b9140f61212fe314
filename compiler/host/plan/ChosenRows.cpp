// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the lengths of chosen rows from the launches that pick rows.

#include "compiler/host/plan/ChosenRows.h"

using namespace mlir;
using namespace transfold;

DenseMap<Attribute, Attribute> host::sourcesOfLengths(xf::EntryOp entry) {
  DenseMap<Attribute, Attribute> sources;
  entry.walk([&](xf::LaunchOp launch) {
    if (Value ranks = launch.getRanks())
      sources[xf::getShape(launch.getResult().getType())[0]] =
          xf::getShape(ranks.getType())[0];
  });
  return sources;
}
