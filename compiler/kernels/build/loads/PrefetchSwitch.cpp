// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/build/loads/PrefetchSwitch.h"

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

static const char name[] = "prefetches";

Expr PrefetchPass::prefetchSwitch() {
  isUsed = true;
  return Variable::make(Int(32), name);
}

Stmt PrefetchPass::mutate(const Stmt &stmt) {
  if (isInside)
    return IRMutator::mutate(stmt);
  isInside = true;
  Stmt body = IRMutator::mutate(stmt);
  isInside = false;
  if (!isUsed)
    return body;
  return LetStmt::make(
      name, Call::make(Int(32), "transfold_prefetches", {}, Call::Extern),
      body);
}

} // namespace transfold::kernels
