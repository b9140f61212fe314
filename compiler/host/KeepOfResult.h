// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_HOST_KEEPOFRESULT_H
#define TRANSFOLD_COMPILER_HOST_KEEPOFRESULT_H

#include "dialect/Dialect.h"

namespace transfold::host {

/// What keeps the rows that a launch makes, where the launch may write them
/// into the cache; null where it may not, or nothing keeps them.
xf::KeepOp keepOfResult(xf::LaunchOp launch);

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_KEEPOFRESULT_H
