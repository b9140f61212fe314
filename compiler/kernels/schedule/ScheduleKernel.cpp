// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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
      schedule.entries[entry.getName().str()] = number.getInt();
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
  if (schedule.entries.contains("lanes"))
    options.lanesOfNorms = schedule.get("lanes");
  if (options.isOnDevice && schedule.entries.contains("rows"))
    options.rowsOfBlock =
        schedule.get("rows") *
        (schedule.entries.contains("down") ? schedule.get("down") : 1);
  if (anchor.isInParts)
    options.depth = schedule.get("depth");
  options.hasMarks = hasFixedRoundings(target);
  if (schedule.entries.contains("dot"))
    options.dot = schedule.get("dot");
  // Matrix registers take words of two bfloat16.
  const bool hasTiles = schedule.entries.contains("tiles");
  if (hasTiles)
    options.dot = 2;
  options.marksPairs =
      options.hasMarks && (hasTiles || target.arch == Halide::Target::ARM);
  options.sumsHalves = schedule.entries.contains("halves");
  // Matrix registers take signed codes.
  options.takesUnsignedCodes =
      options.hasMarks && !hasTiles &&
      describeMachines(target.to_string()).front().takesUnsignedBytes;
  options.octets = schedule.entries.contains("octets");
  if (schedule.entries.contains("widen"))
    options.widens = schedule.get("widen") != 0;
  Algorithm algorithm = lowerRegion(kernel, options);
  if (hasFixedRoundings(target))
    fixRoundings(algorithm);
  (options.isOnDevice ? anchor.gpu : anchor.processor)
      .schedule(algorithm, schedule);
  return algorithm;
}
