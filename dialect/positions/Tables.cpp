// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/positions/Tables.h"

#include "dialect/Dialect.h"

using namespace transfold;

bool xf::isZeroTable(mlir::Value value) {
  auto table = value.getDefiningOp<xf::TabulateOp>();
  if (!table)
    return false;
  const IndexDefinition definition = table.getDefinition().getValue();
  return definition.body->isConstant() && definition.body->exact &&
         definition.body->exact->isZero();
}
