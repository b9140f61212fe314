// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares each processor with the next less capable one: a variant is worth
// its size only if the kernel can use an instruction that the other lacks.

#include "compiler/kernels/schedule/choose/Processors.h"

#include "compiler/kernels/schedule/choose/StoredOperands.h"

using namespace transfold;
using namespace transfold::kernels;

std::vector<Machine> kernels::usefulFor(xf::KernelOp kernel,
                                        const std::vector<Machine> &machines,
                                        bool isOfFewRows) {
  std::vector<Machine> useful;
  for (const Machine &own : llvm::reverse(machines)) {
    const Machine *next = useful.empty() ? nullptr : &useful.front();
    if (!next || own.vector != next->vector ||
        own.registers != next->registers ||
        (own.dot > next->dot &&
         (multipliesPairs(kernel) || attendsInPairs(kernel))) ||
        (own.addsBytes && !next->addsBytes && multipliesIntegers(kernel)) ||
        (own.multipliesTilesOfPairs && !next->multipliesTilesOfPairs &&
         multipliesPairs(kernel)) ||
        (own.tileRows > next->tileRows && !isOfFewRows &&
         multipliesTiles(kernel, own)))
      useful.insert(useful.begin(), own);
  }
  return useful;
}

std::string kernels::processorFor(xf::KernelOp kernel, const Machine &machine,
                                  bool isOfFewRows) {
  return usefulFor(kernel, andLessAble(machine), isOfFewRows).front().name;
}
