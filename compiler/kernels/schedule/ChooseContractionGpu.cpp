// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions on a device: in which parts it makes long sums, and the forms
// for many rows and for few.

#include "compiler/kernels/schedule/Choices.h"
#include "compiler/kernels/schedule/StoredOperands.h"
#include "dialect/Storage.h"
#include "dialect/blocks/BlockFormat.h"

#include <numeric>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// Sums of parts that share the memory of a block of threads: of 32 columns and
// one product, 10 KiB for a row, 40 KiB for four.
constexpr int64_t partsOfBlock = 80;

// Numbers of a part: the largest divisor up to 64, or more where the parts
// would be too many; in whole groups. All of them where there is no good one.
static int64_t depthOnGpu(int64_t size, int64_t group, int64_t mostParts) {
  int64_t most = 64;
  while (size / most > mostParts)
    most *= 2;
  for (int64_t depth = most; depth >= most / 4; --depth)
    if (size % depth == 0 && depth % group == 0 && size / depth <= mostParts)
      return depth;
  return size;
}

// The first of those that are made together.
static xf::ContractOp productOf(xf::KernelOp kernel) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  return products.empty() ? xf::ContractOp() : *products.begin();
}

static int64_t countProducts(xf::KernelOp kernel) {
  return std::max<int64_t>(
      llvm::range_size(kernel.getBody().getOps<xf::ContractOp>()), 1);
}

// Numbers of a product's matrix that have one scale.
static int64_t groupOf(xf::KernelOp kernel, xf::ContractOp product) {
  auto blocks = blocksOf(kernel, product);
  return blocks ? xf::blockFormatOf(*blocks)->groupNumbers() : 1;
}

static int64_t depthOnGpu(xf::KernelOp kernel) {
  xf::ContractOp product = productOf(kernel);
  return depthOnGpu(std::max<int64_t>(summedSize(product), 1),
                    groupOf(kernel, product),
                    partsOfBlock / countProducts(kernel));
}

static bool isInParts(xf::KernelOp kernel) {
  xf::ContractOp product = productOf(kernel);
  return product && isPacked(kernel, product) &&
         summedSize(product) > depthOnGpu(kernel);
}

bool kernels::canHaveFewRowsOnGpu(xf::KernelOp kernel) {
  // Of a family, too: members are blocks.
  ArrayRef<Attribute> shape =
      xf::getShape(kernel.getFunctionType().getResult(0));
  if (shape.size() == 3 && xf::getNumber(shape[0]))
    shape = shape.drop_front();
  return shape.size() == 2 && !xf::getNumber(shape[0]) && isInParts(kernel);
}

// Norms that the kernel makes for its product.
static bool hasNorms(xf::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps(), [](Operation &op) {
    return op.hasTrait<xf::RowWise>() && !isa<xf::QuantizeOp>(op);
  });
}

// Rows of a part that are loaded at once: of numbers, and of a group of codes;
// fewer where scales of parts are in registers, too, or two products, or gains
// beside numbers of several rows. A block of `threads` that are few loads more
// ahead, up to four times as many: its threads may have the more registers, and
// a thread waits once for what is loaded at once.
static int64_t rowsAhead(xf::KernelOp kernel, const BlockFormat *format,
                         int64_t rows, int64_t threads) {
  const int64_t products = countProducts(kernel);
  if (!format) {
    const int64_t times = threads <= 128 ? 4 : threads <= 256 ? 2 : 1;
    return (rows > 1 ? 4 : 8) * times / products /
           (times > 2 && hasNorms(kernel) ? 2 : 1);
  }
  const int64_t most = format->parts != PartScales::None ? 16 : 32;
  return most / products / (rows > 1 && hasNorms(kernel) ? 2 : 1);
}

// They are summed in as many parts by all forms: NormsGpu.cpp counts.
static Entries withLanes(xf::KernelOp kernel, Entries entries) {
  if (hasNorms(kernel))
    entries.set("lanes", lanesOfNorms);
  return entries;
}

// FewRowsGpu.cpp counts: one row reads 16 bytes of it at a time, four rows
// have sums of four columns each. Of two products each loads half as much.
static Entries ofRows(xf::KernelOp kernel, int64_t rows) {
  xf::ContractOp product = productOf(kernel);
  const auto blocks = blocksOf(kernel, product);
  const BlockFormat *format = blocks ? xf::blockFormatOf(*blocks) : nullptr;
  constexpr int64_t loadBytes = 16;
  // Registers of four rows and of their norms are those of half as many
  // threads.
  const bool isDear = format || (rows > 1 && hasNorms(kernel));
  const int64_t depth = depthOnGpu(kernel), most = isDear ? 256 : 512,
                places = format ? wordBytes : bytesOfNumber(kernel, product),
                columns = rows > 1 ? 4 : loadBytes / places,
                threadsOfPart = panelWidth / columns,
                parts = llvm::divideCeil(summedSize(product) / depth, columns),
                together =
                    columns * std::min(parts, most / (threadsOfPart * columns)),
                threads = together / columns * panelWidth;
  return withLanes(kernel,
                   Entries{{"ahead", std::gcd(depth, rowsAhead(kernel, format,
                                                               rows, threads))},
                           {"columns", columns},
                           {"depth", depth},
                           {"parts", together},
                           {"rows", rows}});
}

FailureOr<Entries> kernels::chooseFewRowsOnGpu(xf::KernelOp kernel,
                                               const Machine &) {
  return ofRows(kernel, 1);
}

FailureOr<Entries> kernels::chooseSeveralRowsOnGpu(xf::KernelOp kernel,
                                                   const Machine &) {
  return ofRows(kernel, 4);
}

// Numbers of a sum that threads load at a time: the most up to 16 that it is
// whole steps of. Tiles take what that has in common with a part.
static int64_t stepOf(int64_t size) {
  int64_t step = std::min<int64_t>(size, 16);
  while (size % step)
    --step;
  return step;
}

// All forms of a kernel make their sums in the same parts. A single row has no
// other form. Else threads of a block and their share of the work, which
// ContractionTilesGpu.cpp counts.
FailureOr<Entries> kernels::chooseContractionOnGpu(xf::KernelOp kernel,
                                                   const Machine &) {
  if (!productOf(kernel))
    return kernel.emitError("a contraction kernel needs an xf.contract");
  const Type result = kernel.getFunctionType().getResult(0);
  if (xf::getShape(result).size() == 1 && isInParts(kernel))
    return ofRows(kernel, 1);
  const int64_t size = std::max<int64_t>(summedSize(productOf(kernel)), 1);
  return withLanes(kernel, Entries{{"across", 16},
                                   {"columns", 8 / countProducts(kernel)},
                                   {"depth", depthOnGpu(kernel)},
                                   {"down", 8},
                                   {"rows", 8},
                                   {"step", stepOf(size)}});
}
