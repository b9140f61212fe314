// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions on a device: the parts of long sums, and the forms for many rows
// and for few.

#include "base/numeric/BlockFormat.h"
#include "compiler/kernels/schedule/choose/Choices.h"
#include "compiler/kernels/schedule/choose/StoredOperands.h"
#include "dialect/weights/Storage.h"

#include <numeric>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// The largest number of parts whose sums are in the shared memory of a block:
// for 32 columns and one product, 10 KiB for a row, 40 KiB for four.
constexpr int64_t partsOfBlock = 80;

// For tensor cores, the terms of a sum that one step adds up, and the warps of
// a block for few rows. TensorCoresGpu.cpp has the register arithmetic.
constexpr int64_t stepOfTensorCores = 32, warpsOfFewRows = 16;

// The number of terms of a part: the largest divisor up to 64, or more if there
// would be too many parts; in whole groups. All terms if there is no suitable
// divisor.
static int64_t depthOnGpu(int64_t size, int64_t group, int64_t mostParts) {
  int64_t most = 64;
  while (size / most > mostParts)
    most *= 2;
  for (int64_t depth = most; depth >= most / 4; --depth)
    if (size % depth == 0 && depth % group == 0 && size / depth <= mostParts)
      return depth;
  return size;
}

// The product, or the first of several products that are computed together.
static xf::ContractOp productOf(xf::KernelOp kernel) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  return products.empty() ? xf::ContractOp() : *products.begin();
}

/// The number of products of one x (ProductsTogether.cpp); 1 if there is none.
static int64_t countProducts(xf::KernelOp kernel) {
  return std::max<int64_t>(
      llvm::range_size(kernel.getBody().getOps<xf::ContractOp>()), 1);
}

// The number of values of a product's matrix that share a scale.
static int64_t groupOf(xf::KernelOp kernel, xf::ContractOp product) {
  auto blocks = blocksOf(kernel, product);
  return blocks ? xf::blockFormatOf(*blocks)->groupNumbers() : 1;
}

// The number of terms of a part that tensor cores add up: whole steps, and at
// most as many parts as a block for few rows has warps. All terms if there is
// no suitable divisor.
static int64_t depthOfTensorCores(int64_t size, int64_t mostParts) {
  for (int64_t depth = stepOfTensorCores; depth < size;
       depth += stepOfTensorCores)
    if (size % depth == 0 && size / depth <= mostParts)
      return depth;
  return size;
}

// The number of terms of a part of a kernel's sum.
static int64_t depthOnGpu(xf::KernelOp kernel) {
  xf::ContractOp product = productOf(kernel);
  if (multipliesPairs(kernel))
    return depthOfTensorCores(summedSize(product),
                              warpsOfFewRows / countProducts(kernel));
  return depthOnGpu(std::max<int64_t>(summedSize(product), 1),
                    groupOf(kernel, product),
                    partsOfBlock / countProducts(kernel));
}

// Whether the matrix of a kernel's product is packed and its sum has several
// parts.
static bool isInParts(xf::KernelOp kernel) {
  xf::ContractOp product = productOf(kernel);
  return product && isPacked(kernel, product) &&
         summedSize(product) > depthOnGpu(kernel);
}

bool kernels::canHaveFewRowsOnGpu(xf::KernelOp kernel) {
  // Also for a family: each member has blocks of its own.
  ArrayRef<Attribute> shape =
      xf::getShape(kernel.getFunctionType().getResult(0));
  if (shape.size() == 3 && xf::getNumber(shape[0]))
    shape = shape.drop_front();
  return shape.size() == 2 && !xf::getNumber(shape[0]) && isInParts(kernel);
}

// Whether the kernel computes norms for its product.
static bool hasNorms(xf::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps(), [](Operation &op) {
    return op.hasTrait<xf::RowWise>() && !isa<xf::QuantizeOp>(op);
  });
}

// The number of rows of a part that are loaded at once, for single values and
// for groups of codes; fewer if scales of parts are in registers, too, or with
// two products, or with gains and values of several rows. A block of few
// `threads` loads more ahead, up to four times as many: its threads may have
// more registers, and a thread waits only once for values that are loaded
// together.
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

// Norms are summed in the same number of parts by all forms; the register
// arithmetic is in NormsGpu.cpp.
static Entries withLanes(xf::KernelOp kernel, Entries entries) {
  if (hasNorms(kernel))
    entries.set(Parameter::Lanes, lanesOfNorms);
  return entries;
}

// The register arithmetic is in FewRowsGpu.cpp: one row reads 16 bytes of the
// matrix at a time, four rows have sums of four columns each. With two
// products, each loads half as much.
static Entries ofRows(xf::KernelOp kernel, int64_t rows) {
  xf::ContractOp product = productOf(kernel);
  if (multipliesPairs(kernel)) {
    // One instruction multiplies 16 rows, of which 8 may be empty.
    const int64_t depth = depthOnGpu(kernel);
    return {{Parameter::Columns, panelWidth},
            {Parameter::Depth, depth},
            {Parameter::Parts, summedSize(product) / depth},
            {Parameter::Rows, rows > 1 ? 16 : 8},
            {Parameter::Tiles, 1}};
  }
  const auto blocks = blocksOf(kernel, product);
  const BlockFormat *format = blocks ? xf::blockFormatOf(*blocks) : nullptr;
  constexpr int64_t loadBytes = 16;
  // Matrices in blocks, and four rows with norms, need so many registers that a
  // block has half as many threads.
  const bool isDear = format || (rows > 1 && hasNorms(kernel));
  const int64_t depth = depthOnGpu(kernel), most = isDear ? 256 : 512,
                places = format ? wordBytes : bytesOfNumber(kernel, product),
                columns = rows > 1 ? 4 : loadBytes / places,
                threadsOfPart = panelWidth / columns,
                parts = llvm::divideCeil(summedSize(product) / depth, columns),
                together =
                    columns * std::min(parts, most / (threadsOfPart * columns)),
                threads = together / columns * panelWidth;
  return withLanes(
      kernel,
      Entries{{Parameter::Ahead,
               std::gcd(depth, rowsAhead(kernel, format, rows, threads))},
              {Parameter::Columns, columns},
              {Parameter::Depth, depth},
              {Parameter::Parts, together},
              {Parameter::Rows, rows}});
}

FailureOr<Entries> kernels::chooseFewRowsOnGpu(xf::KernelOp kernel,
                                               const Machine &) {
  return ofRows(kernel, 1);
}

FailureOr<Entries> kernels::chooseSeveralRowsOnGpu(xf::KernelOp kernel,
                                                   const Machine &) {
  return ofRows(kernel, 4);
}

// The number of terms of a sum that threads load at a time: the largest divisor
// of `size` up to 16. Tiles take the greatest common divisor of this and of a
// part.
static int64_t stepOf(int64_t size) {
  int64_t step = std::min<int64_t>(size, 16);
  while (size % step)
    --step;
  return step;
}

// All forms of a kernel compute their sums in the same parts. A single row has
// no other form. Otherwise the threads of a block and their share of the work;
// the register arithmetic is in ContractionTilesGpu.cpp.
FailureOr<Entries> kernels::chooseContractionOnGpu(xf::KernelOp kernel,
                                                   const Machine &) {
  if (!productOf(kernel))
    return kernel.emitError("a contraction kernel needs an xf.contract");
  const Type result = kernel.getFunctionType().getResult(0);
  if (xf::getShape(result).size() == 1 && isInParts(kernel))
    return ofRows(kernel, 1);
  const int64_t size = std::max<int64_t>(summedSize(productOf(kernel)), 1);
  if (multipliesPairs(kernel))
    return Entries{{Parameter::Across, 2 / countProducts(kernel)},
                   {Parameter::Columns, panelWidth},
                   {Parameter::Depth, depthOnGpu(kernel)},
                   {Parameter::Down, 2 * countProducts(kernel)},
                   {Parameter::Rows, 32 / countProducts(kernel)},
                   {Parameter::Step, stepOfTensorCores},
                   {Parameter::Tiles, 1}};
  return withLanes(kernel,
                   Entries{{Parameter::Across, 16},
                           {Parameter::Columns, 8 / countProducts(kernel)},
                           {Parameter::Depth, depthOnGpu(kernel)},
                           {Parameter::Down, 8},
                           {Parameter::Rows, 8},
                           {Parameter::Step, stepOf(size)}});
}
