// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the entries of a schedule to the options of the algorithm, its
// definitions, and their loops. An attention reads further entries itself
// (algorithm/lower/LowerAttention.cpp).

#include "compiler/kernels/schedule/ScheduleKernel.h"

#include "compiler/kernels/algorithm/lower/LowerRegion.h"
#include "compiler/kernels/algorithm/product/Roundings.h"
#include "compiler/kernels/schedule/Anchors.h"
#include "compiler/kernels/schedule/choose/Target.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// The integer entries of a kernel's schedule.
static Schedule readSchedule(xf::KernelOp kernel) {
  DictionaryAttr entries = kernel.getScheduleAttr();
  if (!entries || !kernel.getTarget())
    throw std::runtime_error("the kernel has no schedule or no target");
  Schedule schedule;
  for (NamedAttribute entry : entries)
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      schedule.entries[*xf::symbolizeScheduleParameter(entry.getName())] =
          number.getInt();
  schedule.isOneLoop = kernel.getOneLoop();
  return schedule;
}

Algorithm kernels::scheduleKernel(xf::KernelOp kernel) {
  Schedule schedule = readSchedule(kernel);
  const AnchorRecord &anchor = recordOf(kernel.getAnchor());
  Halide::Target target(kernel.getTarget()->str());

  LoweringOptions options;
  options.isOnDevice = target.has_gpu_feature();
  options.lanes = schedule.get(anchor.lanes);
  // For an anchor of rows these are its lanes again; in a product with norms
  // the lanes are columns.
  if (schedule.has(Parameter::Lanes))
    options.lanesOfNorms = schedule.get(Parameter::Lanes);
  if (options.isOnDevice && schedule.has(Parameter::Rows))
    // Rows of a thread times rows of threads: at the first of them a list of
    // rows is tested (SkipEmptyBlocks.h).
    options.rowsOfBlock =
        schedule.get(Parameter::Rows) *
        (schedule.has(Parameter::Down) ? schedule.get(Parameter::Down) : 1);
  if (anchor.isInParts)
    options.depth = schedule.get(Parameter::Depth);
  options.hasMarks = hasFixedRoundings(target);
  if (schedule.has(Parameter::Dot))
    options.dot = schedule.get(Parameter::Dot);
  // Matrix instructions take words of two bfloat16.
  const bool hasTiles = schedule.has(Parameter::Tiles);
  if (hasTiles)
    options.dot = 2;
  options.marksPairs =
      hasTiles || (options.hasMarks && target.arch == Halide::Target::ARM);
  options.sumsHalves = schedule.has(Parameter::Halves);
  // Matrix registers take signed codes.
  options.takesUnsignedCodes =
      options.hasMarks && !hasTiles &&
      describeMachines(target.to_string()).front().takesUnsignedBytes;
  options.octets = schedule.has(Parameter::Octets);
  if (schedule.has(Parameter::Widen))
    options.widens = schedule.get(Parameter::Widen) != 0;
  Algorithm algorithm = lowerRegion(kernel, options);
  if (hasFixedRoundings(target))
    fixRoundings(algorithm);
  (options.isOnDevice ? anchor.gpu : anchor.processor)
      .schedule(algorithm, schedule);
  return algorithm;
}
