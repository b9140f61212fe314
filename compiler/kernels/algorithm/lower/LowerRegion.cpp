// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the operations of an xf.kernel to Halide definitions, one by one.

#include "compiler/kernels/algorithm/lower/LowerRegion.h"
#include "compiler/kernels/algorithm/lower/LowerAttention.h"
#include "compiler/kernels/algorithm/lower/RegionValues.h"
#include "compiler/kernels/algorithm/numeric/StoredNumbers.h"
#include "dialect/weights/Storage.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// The definitions of kernels do not depend on MLIR and have a constant of their
// own.
static_assert(pairDistance == xf::PanelsAttr::distance);

namespace {
// Lowers the arguments of a kernel, its operations in order, and its result.
class RegionLowering : RegionValues {
public:
  RegionLowering(xf::KernelOp kernel, const LoweringOptions &options)
      : RegionValues{AlgorithmBuilder(kernel.getName().str(), options)},
        kernel(kernel) {
    if (kernel.getAnchor() == xf::Anchor::Attention)
      attention.emplace(kernel);
  }

  Algorithm run() {
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      xf::StorageAttr storage = kernel.getStorage(argument.getArgNumber());
      Type type = argument.getType();
      if (const BlockFormat *blocks = xf::blockFormatOf(storage.getFormat())) {
        tensors[argument] = builder.addBlocks(axesOf(type), *blocks);
        continue;
      }
      const StoredNumbers &stored =
          isa<xf::IntegralType>(type) ? storedIntegers() : numbersOf(storage);
      xf::PanelsAttr panels = storage.getPanels();
      tensors[argument] =
          panels ? builder.addPanels(axesOf(type), stored, panels.getWidth(),
                                     panels.getInterleaved())
                 : builder.addArgument(axesOf(type), stored);
    }
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (auto scan = dyn_cast<xf::ScanOp>(op))
        lowerScan(*this, scan);
      // Products that are computed together have their tensors when the first
      // of them is lowered.
      else if (!tensors.contains(op.getResult(0)) &&
               (!attention || !attention->lower(*this, &op)) &&
               !lowerTogether(&op))
        tensors[op.getResult(0)] = lower(&op);
    auto end = cast<xf::ReturnOp>(kernel.getBody().front().getTerminator());
    for (unsigned number = 1; number < end.getNumOperands(); ++number)
      builder.context().algorithm.otherResults.push_back(
          builder.addResult(number, get(end.getOperand(number)),
                            numbersOf(kernel.getResultStorage(number))));
    return builder.finish(get(end.getOperand(0)),
                          numbersOf(kernel.getResultStorage()));
  }

private:
  /// How elements are read and written, for the target of this kernel.
  const StoredNumbers &numbersOf(xf::StorageAttr storage) {
    return storedNumbers(storage.getFormat(), builder.context().isOnDevice);
  }

  /// On a device, products of one value with several matrices are lowered
  /// together. Returns false, and lowers nothing, if `op` is not one of several
  /// such products.
  bool lowerTogether(Operation *op) {
    auto first = dyn_cast<xf::ContractOp>(op);
    if (!first || !builder.context().isOnDevice || attention)
      return false;
    SmallVector<xf::ContractOp> products;
    std::vector<Tensor> matrices;
    for (auto other : kernel.getBody().getOps<xf::ContractOp>())
      if (other.getLhs() == first.getLhs()) {
        products.push_back(other);
        matrices.push_back(get(other.getRhs()));
      }
    if (products.size() == 1)
      return false;
    auto results = builder.contractTogether(
        get(first.getLhs()), labelsOf(first.getLhsLabels()), matrices,
        labelsOf(first.getRhsLabels()), labelsOf(first.getLabels()));
    for (auto [product, result] : llvm::zip(products, results))
      tensors[product.getResult()] = result;
    return true;
  }

  /// Lowers an operation that is neither a step of an attention nor one of
  /// several products together.
  Tensor lower(Operation *op) {
    if (auto contract = dyn_cast<xf::ContractOp>(op))
      return builder.contract(
          get(contract.getLhs()), labelsOf(contract.getLhsLabels()),
          get(contract.getRhs()), labelsOf(contract.getRhsLabels()),
          labelsOf(contract.getLabels()));
    for (auto lowerKind : {lowerArithmetic, lowerFunction, lowerRows,
                           lowerPlaces, lowerPositions})
      if (std::optional<Tensor> tensor = lowerKind(*this, op))
        return *tensor;
    throw std::runtime_error("there is no kernel for " +
                             op->getName().getStringRef().str());
  }

  xf::KernelOp kernel;
  std::optional<AttentionLowering> attention;
};
} // namespace

Algorithm kernels::lowerRegion(xf::KernelOp kernel,
                               const LoweringOptions &options) {
  return RegionLowering(kernel, options).run();
}
