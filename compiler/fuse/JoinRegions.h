// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that a device computes in one launch. A launch takes some
// microseconds there, whatever it computes, and a step of one token is launches
// that wait for each other. On a processor a region more costs next to nothing:
// there regions stay apart.

#ifndef TRANSFOLD_COMPILER_FUSE_JOINREGIONS_H
#define TRANSFOLD_COMPILER_FUSE_JOINREGIONS_H

#include "compiler/fuse/Outline.h"

#include <memory>
#include <vector>

namespace transfold::fuse {

using Regions = std::vector<std::unique_ptr<KernelRegion>>;

/// Products of one value whose results meet become one region.
void joinProducts(Regions &regions);

/// Norms become part of the products that alone read them, up to three.
void joinNorms(Regions &regions);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_JOINREGIONS_H
