// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region becomes a function: values from outside are its arguments, constants
// are copied into it. Equal regions become equal texts, so FormKernels.cpp
// finds that they are one kernel.

#include "compiler/fuse/form/Outline.h"

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

/// The kernel name, composed of the operations in order, such as
/// "contract_add_gelu"; of many only the first, with the count of the rest.
/// Kernels become files with these names plus suffixes of later stages, and
/// file systems allow 255 bytes.
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

/// Whether the kernel has a value whose length follows from that of another:
/// the names of these lengths belong together.
static bool derivesLengths(xf::KernelOp kernel) {
  auto derives = [](Operation *op) {
    if (auto windows = dyn_cast<xf::UnfoldOp>(op)) {
      Attribute from = xf::getShape(windows.getInput().getType())[0];
      return from != xf::getShape(windows.getType())[0] && !xf::getNumber(from);
    }
    auto append = dyn_cast<xf::AppendOp>(op);
    return append &&
           !xf::getNumber(xf::getShape(append.getType())[append.getAxis()]);
  };
  return kernel
      .walk([&](Operation *op) {
        return derives(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Renames the lengths of a kernel in the order of their occurrence, so that
/// equal regions share one kernel whatever lengths they are over.
static void renameLengths(xf::KernelOp kernel) {
  if (derivesLengths(kernel))
    return;
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

//===----------------------------------------------------------------------===//
// Lengths that no operand has
//===----------------------------------------------------------------------===//

/// Collects the lengths of a type; indices of layers have none.
static void addLengths(Type type, llvm::SetVector<Attribute> &lengths) {
  if (!isa<xf::RealType, xf::IntegralType>(type))
    return;
  for (Attribute axis : xf::getShape(type))
    if (!xf::getNumber(axis))
      lengths.insert(axis);
}

/// The lengths along which the region sums or compares and that no input has:
/// e.g. a softmax over a table by position reads no value with these lengths.
static llvm::SetVector<Attribute>
untoldLengths(const fuse::KernelRegion &region, ArrayRef<Value> inputs) {
  llvm::SetVector<Attribute> needed, told;
  for (Operation *op : region.ops)
    if (!op->hasTrait<xf::Pointwise>())
      for (Type type : op->getOperandTypes())
        addLengths(type, needed);
  for (Value input : inputs)
    addLengths(input.getType(), told);
  needed.set_subtract(told);
  return needed;
}

/// A value with the axis `length` that is in memory before `user`; null if
/// there is none.
static Value valueWithLength(Attribute length, Operation *user) {
  auto hasLength = [&](Value value) {
    llvm::SetVector<Attribute> lengths;
    addLengths(value.getType(), lengths);
    return lengths.contains(length);
  };
  for (Operation *inner = user; inner && !isa<xf::EntryOp>(inner);
       inner = inner->getParentOp()) {
    Block *block = inner->getBlock();
    for (Value argument : block->getArguments())
      if (hasLength(argument))
        return argument;
    for (Operation &op : *block) {
      if (&op == inner)
        break;
      if (isa<xf::LaunchOp, xf::CacheReadOp>(op) && hasLength(op.getResult(0)))
        return op.getResult(0);
    }
  }
  return {};
}

/// Moves the region to just before the first reader of its result, where more
/// values are available.
static void moveToUse(fuse::KernelRegion &region,
                      ArrayRef<Operation *> ordered) {
  Operation *first = nullptr;
  for (Operation *user : region.root->getUsers()) {
    Operation *own = region.root->getBlock()->findAncestorOpInBlock(*user);
    if (!first || own->isBeforeInBlock(first))
      first = own;
  }
  if (first)
    for (Operation *op : ordered)
      op->moveBefore(first);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

xf::KernelOp fuse::outline(KernelRegion &region,
                           SmallVectorImpl<Value> &operands) {
  SmallVector<Operation *> ordered(region.ops.begin(), region.ops.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> constants;
  // Constants may depend on values, such as the length of one; these are
  // inputs.
  std::function<void(Operation *)> take = [&](Operation *outer) {
    // Also what the region of a recurrence reads.
    outer->walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if ((producer && region.ops.contains(producer)) ||
            outer->isProperAncestor(operand.getParentBlock()->getParentOp()) ||
            outer == operand.getParentBlock()->getParentOp())
          continue;
        if (!producer || !isConstant(producer)) {
          inputs.insert(operand);
          continue;
        }
        take(producer);
        constants.insert(producer);
      }
    });
  };
  for (Operation *op : ordered)
    take(op);
  if (auto lengths = untoldLengths(region, inputs.getArrayRef());
      !lengths.empty()) {
    moveToUse(region, ordered);
    for (Attribute length : lengths)
      if (Value value = valueWithLength(length, region.root))
        inputs.insert(value);
  }
  operands.assign(inputs.begin(), inputs.end());

  OpBuilder builder(region.root->getContext());
  SmallVector<Type> types(ValueRange(operands).getTypes());
  auto kernel = xf::KernelOp::create(
      builder, region.root->getLoc(), nameOf(ordered),
      builder.getFunctionType(types, region.root->getResultTypes()),
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
  SmallVector<Value> results;
  for (Value result : region.root->getResults())
    results.push_back(mapping.lookup(result));
  xf::ReturnOp::create(builder, region.root->getLoc(), results);
  renameLengths(kernel);
  return kernel;
}
