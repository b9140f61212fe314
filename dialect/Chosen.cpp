// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Dialect.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

static bool isRow(ArrayRef<Attribute> shape) {
  return shape.size() == 1 && !getNumber(shape[0]);
}

LogicalResult RankOp::verify() {
  if (!isRow(getInput().getType().getShape()))
    return emitOpError("counts along one axis, a length");
  return success();
}

LogicalResult PickOp::verify() {
  ArrayRef<Attribute> from = getInput().getType().getShape(),
                      ranks = getRanks().getType().getShape(),
                      to = getResult().getType().getShape();
  if (!isRow(ranks) || from.empty() || from[0] != ranks[0])
    return emitOpError() << "needs a rank for each row of "
                         << getInput().getType() << ", not "
                         << getRanks().getType();
  if (to.empty() || getNumber(to[0]) || to[0] == from[0])
    return emitOpError("has as many rows as are chosen: a length of its own");
  if (to.drop_front() != from.drop_front())
    return emitOpError("picks whole rows");
  return success();
}

LogicalResult SpreadOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &results) {
  ArrayRef<Attribute> rows = getShape(operands[0].getType()),
                      ranks = getShape(operands[1].getType());
  if (!isRow(ranks) || rows.empty() || getNumber(rows[0]))
    return emitOptionalError(loc, "needs rows that were picked, and ranks");
  SmallVector<Attribute> shape = {ranks[0]};
  llvm::append_range(shape, rows.drop_front());
  results.push_back(RealType::get(context, shape));
  return success();
}
