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

// Sums of parts that share the memory of a block of threads: of 32 columns, 16
// KiB for a row.
constexpr int64_t mostParts = 128;

// Numbers of a part: the largest divisor up to 64, or more where the parts
// would be too many; in whole groups. All of them where there is no good one.
static int64_t depthOnGpu(int64_t size, int64_t group) {
  int64_t most = 64;
  while (size / most > mostParts)
    most *= 2;
  for (int64_t depth = most; depth >= most / 4; --depth)
    if (size % depth == 0 && depth % group == 0 && size / depth <= mostParts)
      return depth;
  return size;
}

static xf::ContractOp productOf(xf::KernelOp kernel) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  return products.empty() ? xf::ContractOp() : *products.begin();
}

// Numbers of a product's matrix that have one scale.
static int64_t groupOf(xf::KernelOp kernel, xf::ContractOp product) {
  auto blocks = blocksOf(kernel, product);
  return blocks ? xf::blockFormatOf(*blocks)->groupNumbers() : 1;
}

static int64_t depthOnGpu(xf::KernelOp kernel) {
  xf::ContractOp product = productOf(kernel);
  return depthOnGpu(std::max<int64_t>(summedSize(product), 1),
                    groupOf(kernel, product));
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

// Rows of a part that are loaded at once: of numbers, and of a group of codes;
// fewer where scales of parts are in registers, too.
static int64_t rowsAhead(const BlockFormat *format, int64_t rows) {
  if (!format)
    return rows > 1 ? 4 : 8;
  return format->parts != PartScales::None ? 16 : 32;
}

// FewRowsGpu.cpp counts: one row reads 16 bytes of it at a time, four rows
// have sums of four columns each.
static Entries ofRows(xf::KernelOp kernel, int64_t rows) {
  xf::ContractOp product = productOf(kernel);
  const auto blocks = blocksOf(kernel, product);
  const BlockFormat *format = blocks ? xf::blockFormatOf(*blocks) : nullptr;
  constexpr int64_t loadBytes = 16;
  const int64_t depth = depthOnGpu(kernel), most = format ? 256 : 512,
                places = format ? wordBytes : bytesOfNumber(kernel, product),
                columns = rows > 1 ? 4 : loadBytes / places,
                threadsOfPart = panelWidth / columns,
                parts = llvm::divideCeil(summedSize(product) / depth, columns),
                together =
                    columns * std::min(parts, most / (threadsOfPart * columns));
  return Entries{{"ahead", std::gcd(depth, rowsAhead(format, rows))},
                 {"columns", columns},
                 {"depth", depth},
                 {"parts", together},
                 {"rows", rows}};
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
  return Entries{{"across", 16}, {"columns", 8}, {"depth", depthOnGpu(kernel)},
                 {"down", 8},    {"rows", 8},    {"step", stepOf(size)}};
}
