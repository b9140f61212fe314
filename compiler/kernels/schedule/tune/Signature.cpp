// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signature is a hash of the kernel's text without names and schedules, so
// that it survives changes of other kernels.

#include "compiler/kernels/schedule/tune/Signature.h"

#include "dialect/weights/Storage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>

using namespace mlir;
using namespace transfold;

std::string kernels::signatureOf(xf::KernelOp kernel) {
  // The signature covers the type of the kernel, the storage of its arguments
  // and of its result, its anchor and its body.
  OwningOpRef<xf::KernelOp> plain = kernel.clone();
  for (NamedAttribute own : kernel->getAttrs())
    if (own.getName() != kernel.getFunctionTypeAttrName() &&
        own.getName() != kernel.getAnchorAttrName() &&
        own.getName() != kernel.getArgAttrsAttrName() &&
        own.getName() != kernel.getResAttrsAttrName())
      (*plain)->removeAttr(own.getName());
  plain->setSymName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*plain)->print(stream, OpPrintingFlags().useLocalScope());
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true)
      .substr(0, 16);
}

/// The shape, and the format unless that is f32: "[n, 384]", "[n, 384] bf16"
static std::string shapeOf(Type type, xf::StorageAttr storage) {
  std::vector<std::string> axes;
  for (Attribute axis : xf::getShape(type))
    axes.push_back(xf::printAxis(axis));
  const bool isPlain =
      !storage.getPanels() && storage.getFormat() == xf::Format::F32;
  return fmt::format(
      "[{}]{}", fmt::join(axes, ", "),
      isPlain ? "" : " " + xf::stringifyFormat(storage.getFormat()).str());
}

std::string kernels::describe(xf::KernelOp kernel) {
  llvm::SmallSetVector<StringRef, 8> operations;
  kernel.getBody().walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>())
      operations.insert(op->getName().stripDialect());
  });
  std::vector<std::string> arguments;
  for (BlockArgument argument : kernel.getBody().getArguments())
    arguments.push_back(shapeOf(argument.getType(),
                                kernel.getStorage(argument.getArgNumber())));
  return fmt::format("{}: {}; {} -> {}",
                     xf::stringifyAnchor(kernel.getAnchor()).str(),
                     llvm::join(operations, ", "), fmt::join(arguments, ", "),
                     shapeOf(kernel.getFunctionType().getResult(0),
                             kernel.getResultStorage()));
}
