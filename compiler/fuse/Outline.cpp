// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/fuse/Outline.h"

#include <mlir/IR/IRMapping.h>

#include <functional>

using namespace mlir;
using namespace transfold;

bool fuse::isConstant(Operation *op) {
  if (auto table = dyn_cast<xf::TabulateOp>(op))
    return xf::getShape(table.getType()).empty() &&
           llvm::all_of(table.getArrays(), [](Value array) {
             return isa_and_nonnull<xf::LengthOp>(array.getDefiningOp());
           });
  return isa<xf::ConstantOp, xf::IntegersOp, xf::LengthOp>(op);
}

/// The operations in order, such as "contract_add_gelu"; of many the first, and
/// how many follow. Kernels become files of their names, with what later stages
/// append: file systems take 255 bytes.
static std::string nameOf(ArrayRef<Operation *> ordered) {
  constexpr size_t longest = 150;
  std::string name;
  for (auto [at, op] : llvm::enumerate(ordered)) {
    const StringRef word = op->getName().stripDialect();
    if (name.size() + word.size() > longest)
      return (name + "_and_" + llvm::Twine(ordered.size() - at) + "_more")
          .str();
    name += (name.empty() ? "" : "_") + word.str();
  }
  return name;
}

/// A kernel's own names for lengths, in the order in which they show: equal
/// regions are one kernel, whatever their lengths count.
static void renameLengths(xf::KernelOp kernel) {
  llvm::DenseMap<Attribute, Attribute> own;
  auto renamed = [&](ArrayRef<Attribute> axes) {
    SmallVector<Attribute> shape(axes);
    for (Attribute &axis : shape) {
      if (xf::getNumber(axis))
        continue;
      std::string name = own.empty()       ? "n"
                         : own.size() == 1 ? "m"
                                           : "k" + std::to_string(own.size());
      axis = own.try_emplace(axis, StringAttr::get(axis.getContext(), name))
                 .first->second;
    }
    return shape;
  };
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([&](xf::RealType type) -> std::optional<Type> {
    return xf::RealType::get(type.getContext(), renamed(type.getShape()));
  });
  replacer.addReplacement([&](xf::IntegralType type) -> std::optional<Type> {
    return xf::IntegralType::get(type.getContext(), renamed(type.getShape()));
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

xf::KernelOp fuse::outline(KernelRegion &region,
                           SmallVectorImpl<Value> &operands) {
  SmallVector<Operation *> ordered(region.ops.begin(), region.ops.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> constants;
  std::function<void(Operation *)> take = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && region.ops.contains(producer))
        continue;
      if (!producer || !isConstant(producer)) {
        inputs.insert(operand);
        continue;
      }
      take(producer);
      constants.insert(producer);
    }
  };
  for (Operation *op : ordered)
    take(op);
  operands.assign(inputs.begin(), inputs.end());

  OpBuilder builder(region.root->getContext());
  SmallVector<Type> types(ValueRange(operands).getTypes());
  auto kernel = xf::KernelOp::create(
      builder, region.root->getLoc(), nameOf(ordered),
      builder.getFunctionType(types, region.root->getResult(0).getType()),
      region.anchor);
  Block *body = builder.createBlock(&kernel.getBody());
  IRMapping mapping;
  for (Value operand : operands)
    mapping.map(operand,
                body->addArgument(operand.getType(), operand.getLoc()));
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  for (Operation *op : ordered)
    builder.clone(*op, mapping);
  xf::ReturnOp::create(builder, region.root->getLoc(),
                       mapping.lookup(region.root->getResult(0)));
  renameLengths(kernel);
  return kernel;
}
