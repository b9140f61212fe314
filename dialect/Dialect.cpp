// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Dialect.h"

using namespace mlir;
using namespace transfold::xf;

#include "dialect/XfDialect.cpp.inc"

void XfDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialect/XfOps.cpp.inc"
      >();
}
