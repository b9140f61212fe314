// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the storage of operands permits, and the choice of storage for weights.
// Schedules and their rules query these instead of the IR.

#include "compiler/kernels/schedule/choose/StoredOperands.h"

#include "base/numeric/BlockFormat.h"
#include "compiler/kernels/algorithm/lower/AttentionOps.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/StoredValues.h"
#include "dialect/weights/Weights.h"

using namespace mlir;
using namespace transfold;

std::optional<SmallVector<xf::LaunchOp>>
kernels::launchesOf(xf::KernelOp kernel) {
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  if (!uses)
    return std::nullopt;
  SmallVector<xf::LaunchOp> launches;
  for (auto use : *uses) {
    auto launch = dyn_cast<xf::LaunchOp>(use.getUser());
    if (!launch)
      return std::nullopt;
    launches.push_back(launch);
  }
  return launches;
}

int64_t kernels::summedSize(xf::ContractOp contract) {
  for (auto [axis, label] :
       llvm::zip(contract.getLhs().getType().getShape(),
                 contract.getLhsLabels().getAsRange<StringAttr>()))
    if (!llvm::is_contained(contract.getLabels(), label))
      return xf::getNumber(axis).value_or(0);
  return 0;
}

// The argument that is W in Σ_k x(…, k) W(k, c), or in Σ_k x(i…, k) W(i…, k,
// c), where each member of a family has a matrix; null if the product does not
// have this form.
static BlockArgument matrixOf(xf::ContractOp product) {
  auto argument = dyn_cast<BlockArgument>(product.getRhs());
  ArrayAttr own = product.getRhsLabels(), labels = product.getLabels();
  if (!argument || own.size() < 2 || labels.empty())
    return {};
  Attribute over = own[own.size() - 2], column = own[own.size() - 1];
  // W[k, c]: k is summed, c is the innermost axis of the result and not one of
  // x.
  if (llvm::is_contained(labels, over) || column != labels[labels.size() - 1] ||
      llvm::is_contained(product.getLhsLabels(), column))
    return {};
  for (Attribute member : own.getValue().drop_back(2))
    if (!llvm::is_contained(product.getLhsLabels(), member) ||
        !llvm::is_contained(labels, member))
      return {};
  if (!llvm::all_of(xf::getShape(argument.getType()), xf::getNumber))
    return {};
  return argument;
}

/// The panels of a product's matrix; null if it is not packed.
static xf::PanelsAttr packingOf(xf::KernelOp kernel, xf::ContractOp product) {
  BlockArgument matrix = matrixOf(product);
  return matrix ? kernel.getStorage(matrix.getArgNumber()).getPanels()
                : xf::PanelsAttr();
}

std::optional<xf::Format> kernels::blocksOf(xf::KernelOp kernel,
                                            xf::ContractOp product) {
  BlockArgument matrix = matrixOf(product);
  if (!matrix)
    return std::nullopt;
  xf::Format format = kernel.getStorage(matrix.getArgNumber()).getFormat();
  return xf::isInBlocks(format) ? std::optional(format) : std::nullopt;
}

bool kernels::isPacked(xf::KernelOp kernel, xf::ContractOp product) {
  return packingOf(kernel, product) != nullptr;
}

int64_t kernels::bytesOfNumber(xf::KernelOp kernel, xf::ContractOp product) {
  BlockArgument matrix = matrixOf(product);
  return xf::blockSizeOf(kernel.getStorage(matrix.getArgNumber()).getFormat())
      .bytes;
}

int64_t kernels::interleavedRows(xf::KernelOp kernel, xf::ContractOp product) {
  xf::PanelsAttr packing = packingOf(kernel, product);
  return packing ? packing.getInterleaved() : 1;
}

bool kernels::sumsSingleNumbers(xf::KernelOp kernel, xf::ContractOp product) {
  return !blocksOf(kernel, product) && interleavedRows(kernel, product) == 1 &&
         summedSize(product) != 0;
}

/// Whether a value inside a kernel has the format bfloat16.
static bool isBfloat(xf::KernelOp kernel, Value value) {
  return xf::formatOf(kernel, value) == xf::Format::BF16;
}

bool kernels::attendsInPairs(xf::KernelOp kernel) {
  std::optional<AttentionOps> attention = findAttention(kernel);
  return attention && attention->softmax.getRounded() &&
         isBfloat(kernel, attention->scores.getLhs()) &&
         isBfloat(kernel, attention->scores.getRhs());
}

bool kernels::multipliesPairs(xf::KernelOp kernel) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  return llvm::any_of(products, [&](xf::ContractOp product) {
    return isBfloat(kernel, product.getLhs()) &&
           interleavedRows(kernel, product) == 2;
  });
}

bool kernels::multipliesIntegers(xf::KernelOp kernel) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  return llvm::any_of(products, [&](xf::ContractOp product) {
    return product.getLhs().getDefiningOp<xf::QuantizeOp>() &&
           blocksOf(kernel, product);
  });
}

// Whether the result has an axis that only x has.
static bool hasRows(xf::ContractOp product) {
  return llvm::any_of(product.getLabels(), [&](Attribute label) {
    return llvm::is_contained(product.getLhsLabels(), label) &&
           !llvm::is_contained(product.getRhsLabels(), label);
  });
}

// Matrix registers of x86 hold 64 numbers of a row. With groups of 32 they are
// half empty, and the ends of groups, which take most of the time, are as many:
// measured on a Sapphire Rapids, prompts of an LFM2 of 350 M in Q8_0 are
// computed at 540 tokens/s, and at 570 with the instructions for words.
static bool fillsTiles(const BlockFormat &format,
                       const kernels::Machine &machine) {
  return machine.tileRows == 2 || format.groupNumbers() >= 64;
}

// Products of a single row would leave such registers empty except for one row.
bool kernels::multipliesTiles(xf::KernelOp kernel, const Machine &machine) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  return llvm::any_of(products, [&](xf::ContractOp product) {
    auto quantize = product.getLhs().getDefiningOp<xf::QuantizeOp>();
    const auto blocks = blocksOf(kernel, product);
    if (!quantize || !blocks || !hasRows(product))
      return false;
    const BlockFormat &format = *xf::blockFormatOf(*blocks);
    return fillsTiles(format, machine) &&
           (machine.tileRows == 2 ? format.bias == 0 : format.isSigned) &&
           quantize.getGroup() % format.groupNumbers() == 0;
  });
}

// Whether every launch passes a weight for an argument.
static bool isAlwaysWeight(xf::KernelOp kernel, BlockArgument argument) {
  auto launches = kernels::launchesOf(kernel);
  return launches && llvm::all_of(*launches, [&](xf::LaunchOp launch) {
           return launch.getOperands()[argument.getArgNumber()]
               .getDefiningOp<xf::WeightOp>();
         });
}

/// Whether another kernel rounds a value to bfloat16 at its end.
static bool isRoundedBefore(Value value) {
  if (auto view = value.getDefiningOp<xf::RearrangeOp>())
    return isRoundedBefore(view.getInput());
  auto launch = value.getDefiningOp<xf::LaunchOp>();
  auto kernel = launch ? launch.lookUpKernel() : xf::KernelOp();
  return kernel &&
         isBfloat(kernel, kernel.getBody().front().getTerminator()->getOperand(
                              cast<OpResult>(value).getResultNumber()));
}

// Whether the rows of a product are bfloat16 values, which devices pass from
// kernel to kernel as float32.
static bool hasRoundedRows(xf::KernelOp kernel, xf::ContractOp product) {
  if (isBfloat(kernel, product.getLhs()))
    return true;
  auto argument = dyn_cast<BlockArgument>(product.getLhs());
  auto launches = kernels::launchesOf(kernel);
  return argument && launches &&
         llvm::all_of(*launches, [&](xf::LaunchOp launch) {
           return isRoundedBefore(
               launch.getOperands()[argument.getArgNumber()]);
         });
}

// Rounds the rows of a product once more where its kernel reads them: this
// changes no value, and the kernel then knows that they are bfloat16. Products
// of the same rows keep the same operand.
static void roundRowsAgain(xf::KernelOp kernel, xf::ContractOp product) {
  Value rows = product.getLhs();
  if (isBfloat(kernel, rows))
    return;
  OpBuilder builder(product);
  Value rounded =
      xf::RoundOp::create(builder, product.getLoc(), rows, xf::Format::BF16);
  rows.replaceUsesWithIf(rounded, [](OpOperand &use) {
    auto reader = dyn_cast<xf::ContractOp>(use.getOwner());
    return reader && reader.getLhs() == use.get();
  });
}

// Whether the tensor cores of a GPU can compute a kernel: every product is of
// rows that are rounded to bfloat16 with a matrix of at least one panel, summed
// in several parts.
static bool fitsTensorCores(xf::KernelOp kernel) {
  ArrayRef<Attribute> shape =
      xf::getShape(kernel.getFunctionType().getResult(0));
  if (shape.size() != 2 || xf::getNumber(shape[0]) ||
      xf::getNumber(shape[1]).value_or(0) < kernels::panelWidth)
    return false;
  return llvm::all_of(
      kernel.getBody().getOps<xf::ContractOp>(), [&](xf::ContractOp product) {
        ArrayAttr own = product.getLhsLabels();
        return hasRoundedRows(kernel, product) && own.size() == 2 &&
               llvm::is_contained(product.getLabels(), own[0]) &&
               hasRows(product) &&
               kernels::summedSize(product) > 2 * xf::PanelsAttr::distance;
      });
}

// Whether pairs of rows of a matrix are interleaved: for instructions of
// processors, which widen them in other kernels, and for tensor cores.
static bool isInterleaved(xf::KernelOp kernel, xf::ContractOp product,
                          xf::Format format, const kernels::Machine &machine) {
  return format == xf::Format::BF16 && product.getRhsLabels().size() == 2 &&
         kernels::summedSize(product) % (2 * xf::PanelsAttr::distance) == 0 &&
         (!machine.isGpu ||
          (machine.multipliesTilesOfPairs && fitsTensorCores(kernel)));
}

// Matrices are packed in panels if every launch passes a weight for them.
void kernels::packMatrices(xf::KernelOp kernel, const Machine &machine) {
  for (auto product : kernel.getBody().getOps<xf::ContractOp>()) {
    BlockArgument matrix = matrixOf(product);
    if (!matrix || !matrix.hasOneUse() ||
        kernel.getStorage(matrix.getArgNumber()).getPanels() ||
        !isAlwaysWeight(kernel, matrix))
      continue;
    xf::Format format = kernel.getStorage(matrix.getArgNumber()).getFormat();
    const bool inPairs = isInterleaved(kernel, product, format, machine);
    if (inPairs && machine.isGpu)
      roundRowsAgain(kernel, product);
    MLIRContext *context = kernel.getContext();
    auto panels = xf::PanelsAttr::get(context, panelWidth, inPairs ? 2 : 1);
    kernel.setArgAttr(matrix.getArgNumber(), "xf.storage",
                      xf::StorageAttr::get(context, format, panels));
  }
}

// The format in which all launches pass an argument; nullopt if they differ, or
// if the values are not those of the checkpoint.
static std::optional<xf::Format> commonFormat(ArrayRef<xf::LaunchOp> launches,
                                              unsigned argument) {
  std::optional<xf::Format> format;
  for (xf::LaunchOp launch : launches) {
    xf::StoredOp stored = xf::storedOf(launch.getOperands()[argument]);
    auto own = stored ? stored.getExactFormat() : std::nullopt;
    if (!own || (format && own != format) || !xf::isReadByKernels(*own) ||
        (xf::isInBlocks(*own) && !xf::hasWholeBlocks(stored)))
      return std::nullopt;
    format = own;
  }
  return format;
}

// Blocks are stored in panels, which only the matrix of a product can be read
// from.
static bool isMatrix(BlockArgument argument) {
  auto product = argument.hasOneUse()
                     ? dyn_cast<xf::ContractOp>(*argument.user_begin())
                     : xf::ContractOp();
  return product && matrixOf(product) == argument;
}

// Large weights that a checkpoint stores in fewer bits are read in that format:
// the time of a decode step of one token is that of the bytes a kernel has to
// read. This is exact, since every such value is a float32.
void kernels::keepFormats(xf::KernelOp kernel) {
  auto launches = launchesOf(kernel);
  if (!launches)
    return;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    ArrayRef<Attribute> shape = xf::getShape(argument.getType());
    if (shape.size() < 2 || !llvm::all_of(shape, xf::getNumber))
      continue;
    auto format = commonFormat(*launches, argument.getArgNumber());
    if (!format || (xf::isInBlocks(*format) && !isMatrix(argument)))
      continue;
    auto panels = xf::isInBlocks(*format)
                      ? xf::PanelsAttr::get(kernel.getContext(), panelWidth, 1)
                      : xf::PanelsAttr();
    kernel.setArgAttr(
        argument.getArgNumber(), "xf.storage",
        xf::StorageAttr::get(kernel.getContext(), *format, panels));
  }
}
