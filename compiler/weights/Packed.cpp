// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/weights/Packed.h"

#include "compiler/reference/Interpreter.h"

#include <llvm/Support/MathExtras.h>

using namespace mlir;
using namespace transfold;

int64_t weights::members(xf::StoredOp stored) {
  int64_t product = 1;
  for (int64_t extent : stored.getExtents())
    product *= extent;
  return product;
}

int64_t weights::packedBytes(xf::StoredOp stored) {
  auto type = cast<xf::RealType>(stored.getType());
  int64_t numbers = 1;
  for (Attribute axis : type.getShape())
    numbers *= *xf::getNumber(axis);
  if (auto panels = stored.getPacking()) {
    int64_t columns = *xf::getNumber(type.getShape().back());
    numbers = numbers / columns * llvm::alignTo(columns, panels->getWidth());
  }
  return numbers * static_cast<int64_t>(sizeof(float));
}

std::vector<float> weights::pack(xf::StoredOp stored, int64_t member,
                                 const checkpoint::Checkpoint &checkpoint) {
  reference::Tensor plain = reference::readStored(stored, member, checkpoint);
  if (!stored.getPacking())
    return {plain.data.begin(), plain.data.end()};
  // W<k, c> → [ceil(c / width)][k][width], columns beyond the last are zero.
  int64_t width = stored.getPacking()->getWidth();
  int64_t rows = plain.shape[0], columns = plain.shape[1];
  std::vector<float> packed(packedBytes(stored) / sizeof(float), 0.0f);
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t c = 0; c < columns; ++c)
      packed[(c / width * rows + k) * width + c % width] =
          static_cast<float>(plain.data[k * columns + c]);
  return packed;
}

int64_t weights::payloadBytes(ModuleOp module) {
  int64_t end = 0;
  for (auto stored : module.getOps<xf::StoredOp>())
    end = std::max<int64_t>(end, *stored.getOffset() +
                                     *stored.getStride() * members(stored));
  return end;
}
