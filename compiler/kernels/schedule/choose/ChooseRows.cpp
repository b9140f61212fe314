// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of the schedules of two anchors: kernels over rows, and kernels
// that reduce an axis.

#include "compiler/kernels/schedule/choose/Choices.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

FailureOr<Entries> kernels::chooseRows(xf::KernelOp, const Machine &machine) {
  return Entries{{Parameter::Block, 16},
                 {Parameter::Lanes, 4 * machine.vector},
                 {Parameter::Vector, machine.vector}};
}

FailureOr<Entries> kernels::chooseReduction(xf::KernelOp,
                                            const Machine &machine) {
  return Entries{{Parameter::Columns, 4 * machine.vector},
                 {Parameter::Lanes, 4 * machine.vector},
                 {Parameter::Rows, 16},
                 {Parameter::Vector, machine.vector}};
}

// In a reduction, the threads are columns.
FailureOr<Entries> kernels::chooseRowsOnGpu(xf::KernelOp kernel,
                                            const Machine &) {
  return Entries{{Parameter::Lanes,
                  kernel.getAnchor() == xf::Anchor::Rows ? lanesOfNorms : 64}};
}
