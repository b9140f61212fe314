// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of the schedule of a recurrence.

#include "compiler/kernels/schedule/choose/Choices.h"
#include "dialect/recurrences/LaneAxes.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

/// The largest number of vectors, up to `most`, that divides `lanes`.
static int64_t vectorsIn(int64_t lanes, int64_t vector, int64_t most) {
  for (int64_t count = most; count > 1; --count)
    if (lanes % (count * vector) == 0)
      return count;
  return 1;
}

FailureOr<Entries> kernels::chooseScan(xf::KernelOp kernel,
                                       const Machine &machine) {
  auto scans = kernel.getBody().getOps<xf::ScanOp>();
  auto axes = scans.empty() ? std::nullopt : xf::LaneAxes::of(*scans.begin());
  if (!axes)
    return kernel.emitOpError("contains no recurrence in lanes");
  int64_t vector = machine.vector;
  while (axes->lanes % vector)
    vector /= 2;
  // Four sums in registers hide the latency of a multiply-add.
  return Entries{{Parameter::Lanes, vector * vectorsIn(axes->lanes, vector, 4)},
                 {Parameter::Vector, vector}};
}

FailureOr<Entries> kernels::chooseScanOnGpu(xf::KernelOp kernel,
                                            const Machine &) {
  return kernel.emitOpError("is not for a GPU");
}
