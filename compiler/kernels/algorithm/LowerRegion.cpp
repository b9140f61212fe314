// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the operations of an xf.kernel to Halide definitions, one by one.

#include "compiler/kernels/algorithm/LowerRegion.h"
#include "compiler/kernels/algorithm/KeyMasks.h"
#include "compiler/kernels/algorithm/RegionValues.h"
#include "compiler/kernels/algorithm/Roundings.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

// The definitions of kernels know no MLIR, and their own number.
static_assert(pairDistance == xf::PanelsAttr::distance);

namespace {
class RegionLowering : RegionValues {
public:
  RegionLowering(xf::KernelOp kernel, int lanes, int depth, int dot,
                 bool isOnDevice)
      : RegionValues{AlgorithmBuilder(
            kernel.getName().str(), kernel.getAnchor() == xf::Anchor::Attention,
            lanes, depth, dot, isOnDevice)},
        kernel(kernel) {}

  Algorithm run() {
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      auto panels = kernel.getArgAttrOfType<xf::PanelsAttr>(
          argument.getArgNumber(), "xf.packing");
      auto storage = kernel.getArgAttrOfType<StringAttr>(
          argument.getArgNumber(), "xf.storage");
      Type type = argument.getType();
      Stored stored = isa<xf::IntegralType>(type) ? Stored::Int32
                      : !storage                  ? Stored::Float32
                      : storage == "bf16"         ? Stored::BFloat16
                                                  : Stored::Float16;
      tensors[argument] =
          panels ? builder.addPanels(axesOf(type), stored, panels.getWidth(),
                                     panels.getInterleaved())
                 : builder.addArgument(axesOf(type), stored);
    }
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (isa<xf::ContractOp>(op))
        limitKeys();
      tensors[op.getResult(0)] = lower(&op);
    }
    auto end = cast<xf::ReturnOp>(kernel.getBody().front().getTerminator());
    if (end.getNumOperands() != 1)
      throw std::runtime_error("a kernel has one result");
    return builder.finish(get(end.getOperand(0)));
  }

private:
  /// What the schedule of an attention says about the keys that its mask lets
  /// rows see.
  void limitKeys() {
    DictionaryAttr schedule = kernel.getScheduleAttr();
    auto softmaxes = kernel.getBody().getOps<xf::SoftmaxOp>();
    if (kernel.getAnchor() != xf::Anchor::Attention || softmaxes.empty())
      return;
    auto number = [&](StringRef name) {
      auto attribute = schedule.getAs<IntegerAttr>(name);
      return attribute ? static_cast<int>(attribute.getInt()) : 0;
    };
    Value first = (*softmaxes.begin()).getFirst();
    if (first && !tensors.contains(first))
      return;
    Expr start = position(first);
    builder.limitKeys({number("strip"), number("part"), number("across"),
                       boundOf(schedule.get("keys_from"), start, Halide::max),
                       boundOf(schedule.get("keys_to"), start, Halide::min)});
  }

  Tensor lower(Operation *op) {
    if (auto contract = dyn_cast<xf::ContractOp>(op))
      return builder.contract(
          get(contract.getLhs()), labelsOf(contract.getLhsLabels()),
          get(contract.getRhs()), labelsOf(contract.getRhsLabels()),
          labelsOf(contract.getLabels()));
    for (auto lowerKind : {lowerArithmetic, lowerFunction, lowerRows,
                           lowerPlaces, lowerPositions})
      if (std::optional<Tensor> tensor = lowerKind(*this, op))
        return *tensor;
    throw std::runtime_error("there is no kernel for " +
                             op->getName().getStringRef().str());
  }

  xf::KernelOp kernel;
};
} // namespace

namespace {
/// How regions around an anchor are lowered and scheduled.
struct Anchor {
  xf::Anchor name;
  /// The number of the schedule that says in how many lanes rows are reduced.
  /// Attention reduces a row in the panels of its keys; lanes of a contraction
  /// are the columns of a tile.
  const char *lanes;
  /// Long sums are made in parts.
  bool isInParts;
  void (*onProcessor)(Algorithm &, const Schedule &);
  void (*onGpu)(Algorithm &, const Schedule &);
};
} // namespace

static const Anchor anchors[] = {
    {xf::Anchor::Attention, "keys", false, scheduleAttention,
     scheduleAttentionOnGpu},
    {xf::Anchor::Contraction, "columns", true, scheduleContraction,
     scheduleContractionOnGpu},
    {xf::Anchor::Reduction, "lanes", false, scheduleReduction,
     scheduleReductionOnGpu},
    {xf::Anchor::Rows, "lanes", false, scheduleRows, scheduleRowsOnGpu},
};

Algorithm kernels::lowerKernel(xf::KernelOp kernel) {
  Schedule schedule;
  DictionaryAttr numbers = kernel.getScheduleAttr();
  if (!numbers || !kernel.getTarget())
    throw std::runtime_error("the kernel has no schedule or no target");
  for (NamedAttribute entry : numbers)
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      schedule.entries[entry.getName().str()] = number.getInt();

  Halide::Target target(kernel.getTarget()->str());
  bool isGpu = target.has_gpu_feature();
  xf::Anchor anchor = kernel.getAnchor();
  const auto *known = llvm::find_if(
      anchors, [&](const Anchor &known) { return known.name == anchor; });
  assert(known != std::end(anchors) && "one for each anchor");
  int lanes = schedule.get(known->lanes);
  int depth = known->isInParts ? schedule.get("depth") : 0;
  int dot = schedule.entries.contains("dot") ? schedule.get("dot") : 1;
  Algorithm algorithm = RegionLowering(kernel, lanes, depth, dot, isGpu).run();
  if (hasFixedRoundings(target))
    fixRoundings(algorithm);
  (isGpu ? known->onGpu : known->onProcessor)(algorithm, schedule);
  return algorithm;
}
