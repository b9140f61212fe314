// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins regions that a device then computes in one launch. A launch takes some
// microseconds on a device, whatever it computes, and a step of one token
// consists of launches that wait for each other. On a processor an additional
// region costs almost nothing, so regions stay separate there.

#pragma once

#include "compiler/fuse/form/Outline.h"

#include <memory>
#include <vector>

namespace transfold::fuse {

/// The regions of a block.
using Regions = std::vector<std::unique_ptr<KernelRegion>>;

/// Joins contractions of one value whose results are combined elementwise.
void joinProducts(Regions &regions);

/// Joins norms to the contractions that are their only readers, up to three.
void joinNorms(Regions &regions);

} // namespace transfold::fuse
