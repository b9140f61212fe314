// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_HOST_PLAN_CACHEWRITEOFRESULT_H
#define TRANSFOLD_COMPILER_HOST_PLAN_CACHEWRITEOFRESULT_H

#include "dialect/Dialect.h"

namespace transfold::host {

/// The keep of the rows that a launch computes, if the launch may write them
/// directly into the cache; null otherwise.
xf::CacheWriteOp keepOfResult(xf::LaunchOp launch);

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_PLAN_CACHEWRITEOFRESULT_H
