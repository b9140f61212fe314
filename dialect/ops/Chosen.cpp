// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and result types of the operations on chosen rows (mixture of
// experts). `<n>` are the ranks of one expert, `<n, e>` those of a family of e
// experts, `<e, n>` its lists of row numbers.

#include "dialect/Dialect.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

/// Ranks of rows for a single member: <n>.
static bool isRow(ArrayRef<Attribute> shape) {
  return shape.size() == 1 && !getNumber(shape[0]);
}

/// Ranks, or weights, of rows for each member of a family: <n, e>.
static bool isOfMembers(ArrayRef<Attribute> shape) {
  return shape.size() == 2 && !getNumber(shape[0]) && getNumber(shape[1]);
}

/// Whether `list` is the type <e, n> of a list of the rows <n, e>.
static bool isListOf(ArrayRef<Attribute> list, Attribute rows) {
  return list.size() == 2 && getNumber(list[0]) && list[1] == rows &&
         !getNumber(rows);
}

LogicalResult RunningCountOp::verify() {
  ArrayRef<Attribute> shape = getInput().getType().getShape();
  if (!isRow(shape) && !isOfMembers(shape))
    return emitOpError("must count along a length, for one or several members");
  return success();
}

LogicalResult CompressOp::verify() {
  ArrayRef<Attribute> from = getInput().getType().getShape(),
                      ranks = getRanks().getType().getShape(),
                      to = getResult().getType().getShape();
  if (!isRow(ranks) || from.empty() || from[0] != ranks[0])
    return emitOpError() << "needs a rank for each row of "
                         << getInput().getType() << ", not "
                         << getRanks().getType();
  // The count of chosen rows is known only when the program runs, and two
  // experts choose different counts, so each result has its own symbol.
  if (to.empty() || getNumber(to[0]) || to[0] == from[0])
    return emitOpError(
        "must have as many rows as are chosen: a length of its own");
  if (to.drop_front() != from.drop_front())
    return emitOpError("must pick whole rows");
  return success();
}

LogicalResult ExpandOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  ArrayRef<Attribute> rows = getShape(adaptor.getInput().getType()),
                      ranks = getShape(adaptor.getRanks().getType());
  if (!isRow(ranks) || rows.empty() || getNumber(rows[0]))
    return emitOptionalError(loc, "needs picked rows and their ranks");
  SmallVector<Attribute> shape = {ranks[0]};
  llvm::append_range(shape, rows.drop_front());
  results.push_back(RealType::get(context, shape));
  return success();
}

LogicalResult
BuildRowIndexOp::inferReturnTypes(MLIRContext *context,
                                  std::optional<Location> loc, Adaptor adaptor,
                                  SmallVectorImpl<Type> &results) {
  ArrayRef<Attribute> ranks = getShape(adaptor.getRanks().getType());
  if (!isOfMembers(ranks))
    return emitOptionalError(loc, "needs the ranks of rows for each member");
  results.push_back(RealType::get(context, {ranks[1], ranks[0]}));
  return success();
}

LogicalResult GatherRowsOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  ArrayRef<Attribute> rows = getShape(adaptor.getInput().getType()),
                      list = getShape(adaptor.getList().getType());
  if (rows.empty() || !isListOf(list, rows[0]))
    return emitOptionalError(loc, "needs rows and lists of these rows");
  SmallVector<Attribute> shape(list);
  llvm::append_range(shape, rows.drop_front());
  results.push_back(RealType::get(context, shape));
  return success();
}

LogicalResult BoundedByOp::verify() {
  ArrayRef<Attribute> shape = getInput().getType().getShape(),
                      list = getList().getType().getShape();
  if (shape.size() < 2 || list != shape.take_front(2) ||
      !isListOf(list, shape[1]))
    return emitOpError() << "needs a list for each member of "
                         << getInput().getType() << ", not "
                         << getList().getType();
  return success();
}

LogicalResult ScatterAddOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  ArrayRef<Attribute> listed = getShape(adaptor.getInput().getType()),
                      ranks = getShape(adaptor.getRanks().getType());
  if (!isOfMembers(ranks) || listed.size() < 2 || listed[0] != ranks[1] ||
      listed[1] != ranks[0])
    return emitOptionalError(loc,
                             "needs listed rows and the ranks of these rows");
  results.push_back(RealType::get(context, listed.drop_front()));
  return success();
}
