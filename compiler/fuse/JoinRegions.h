// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that a device computes in one launch.

#ifndef TRANSFOLD_COMPILER_FUSE_JOINREGIONS_H
#define TRANSFOLD_COMPILER_FUSE_JOINREGIONS_H

#include "compiler/fuse/Outline.h"

#include <memory>
#include <vector>

namespace transfold::fuse {

using Regions = std::vector<std::unique_ptr<KernelRegion>>;

/// Products of one value whose results meet become one region.
void joinProducts(Regions &regions);

/// Norms become part of the products that alone read them.
void joinNorms(Regions &regions);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_JOINREGIONS_H
