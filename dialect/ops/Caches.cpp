// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches, i.e. values that steps of a sequence leave for later ones: verifiers.

#include "dialect/Labels.h"
#include "dialect/weights/Storage.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

LogicalResult CacheOp::verify() {
  if (getIndices().size() != getExtents().size())
    return emitOpError("must have one extent for each index");
  unsigned lengths = llvm::count_if(
      getShape(getType()), [](Attribute axis) { return !getNumber(axis); });
  if (lengths > 1)
    return emitOpError() << "must keep rows along at most one length, but "
                         << getType() << " has " << lengths;
  if (getWindow() && (!lengths || *getWindow() < 1))
    return emitOpError(
        "must have a window of at least one position along a length");
  if (getFormat() && isInBlocks(*getFormat()))
    return emitOpError() << "must keep single elements, but those of "
                         << stringifyFormat(*getFormat()) << " share bytes";
  return success();
}

int64_t CacheOp::getMembers() {
  return llvm::product_of(getExtents(), int64_t{1});
}

int64_t CacheOp::getRowSize() { return countNumbers(getType()); }

int64_t CacheOp::getRowBytes() {
  return getRowSize() * blockSizeOf(getFormat().value_or(Format::F32)).bytes;
}

StringAttr CacheOp::getLength() {
  for (Attribute axis : getShape(getType()))
    if (auto length = dyn_cast<StringAttr>(axis))
      return length;
  return {};
}

/// Verifies that the cache named by `op` exists, has the type `type` except for
/// the length, and as many indices as `op`.
template <typename Op>
static LogicalResult verifyAccess(Op op, Type type,
                                  SymbolTableCollection &symbols) {
  auto cache = symbols.lookupNearestSymbolFrom<CacheOp>(op, op.getCacheAttr());
  if (!cache)
    return op.emitOpError() << "no xf.cache is named " << op.getCacheAttr();
  ArrayRef<Attribute> own = getShape(type), kept = getShape(cache.getType());
  bool fits = own.size() == kept.size();
  for (unsigned axis = 0; fits && axis < own.size(); ++axis)
    fits = getNumber(own[axis]) == getNumber(kept[axis]);
  if (!fits)
    return op.emitOpError() << "is of " << type << ", but " << op.getCacheAttr()
                            << " keeps " << cache.getType();
  if (cache.getExtents().size() != op.getIndices().size())
    return op.emitOpError()
           << "has " << op.getIndices().size() << " indices, but "
           << op.getCacheAttr() << " has " << cache.getExtents().size();
  return success();
}

LogicalResult CacheWriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAccess(*this, getValue().getType(), symbols);
}

LogicalResult CacheReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAccess(*this, getResult().getType(), symbols);
}
