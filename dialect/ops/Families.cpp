// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and result types of families: stacked members, and the mask of the
// members that a row chooses.

#include "dialect/Labels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

LogicalResult StackOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  ValueRange members = adaptor.getMembers();
  if (members.empty())
    return emitOptionalError(loc, "a family must have a member");
  SmallVector<Attribute> shape = {xf::getAxis(context, members.size())};
  llvm::append_range(shape, getShape(members[0].getType()));
  results.push_back(RealType::get(context, shape));
  return success();
}

LogicalResult TopKMaskOp::verify() {
  ArrayRef<Attribute> shape = getInput().getType().getShape();
  auto size = shape.empty() ? std::nullopt : getNumber(shape.back());
  int64_t count = getCount();
  if (!size)
    return emitOpError("must choose from rows of a fixed size");
  if (count < 1 || count > *size)
    return emitOpError() << "cannot choose " << count << " of " << *size;
  return success();
}
