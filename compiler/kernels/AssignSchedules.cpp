// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-assign-schedules: the numbers of a kernel's schedule, visible in the IR.
//
//   xf.kernel @k(…) attributes {anchor = "contraction"}
//     becomes
//   xf.kernel @k(…) attributes {anchor = "contraction", schedule = {block =
//   128,
//     columns = 32, depth = 192, rows = 8, unroll = 1, vector = 16}, target =
//     "x86-64-…"}
//
// Where the target is several machines, a kernel comes once for each that has
// something to offer it, and the module says which a program prefers:
//   module attributes {xf.variants = ["avx512", "avx2"]}
//   xf.kernel @k(…) attributes {…, variant = "avx512"}
//   xf.kernel @k_avx2(…) attributes {…, variant = "avx2", variant_of = @k}
//
// A contraction's matrix of weights gets `xf.packing = #xf.panels<32>`: it will
// be stored as its kernel reads it; one of bfloat16, two rows interleaved.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/Target.h"
#include "dialect/Mask.h"

#include <llvm/ADT/StringSet.h>

#include <numeric>
#include <stdexcept>

using namespace mlir;
using namespace transfold;

namespace transfold::kernels {
#define GEN_PASS_DEF_ASSIGNSCHEDULES
#include "compiler/kernels/Passes.h.inc"
} // namespace transfold::kernels

using kernels::Machine;
using Numbers = SmallVector<std::pair<StringRef, int64_t>>;

// Positions that the first product of a kernel sums over; 0 for a length.
static int64_t summedSize(xf::ContractOp contract) {
  for (auto [axis, label] :
       llvm::zip(contract.getLhs().getType().getShape(),
                 contract.getLhsLabels().getAsRange<StringAttr>()))
    if (!llvm::is_contained(contract.getLabels(), label))
      return xf::getNumber(axis).value_or(0);
  return 0;
}

// How much of a long sum is made at a time: the largest divisor up to 192, or
// all of it where there is no good one. In whole groups of rows.
static int64_t depthOfPart(int64_t size, int64_t group = 1) {
  for (int64_t depth = 192; depth >= 64; --depth)
    if (size % depth == 0 && depth % group == 0)
      return depth;
  return size;
}

// The argument that is W in Σ_k x(…, k) W(k, c); null where it is none.
static BlockArgument matrixOf(xf::ContractOp product) {
  auto argument = dyn_cast<BlockArgument>(product.getRhs());
  ArrayAttr own = product.getRhsLabels(), labels = product.getLabels();
  if (!argument || own.size() != 2 || labels.empty() ||
      llvm::is_contained(labels, own[0]) || own[1] != labels[labels.size() - 1])
    return {};
  for (Attribute axis : xf::getShape(argument.getType()))
    if (!xf::getNumber(axis))
      return {};
  return argument;
}

// Rows of W that lie side by side.
static int64_t interleavedRows(xf::KernelOp kernel, xf::ContractOp product) {
  BlockArgument matrix = matrixOf(product);
  auto packing = matrix ? kernel.getArgAttrOfType<xf::PanelsAttr>(
                              matrix.getArgNumber(), "xf.packing")
                        : xf::PanelsAttr();
  return packing ? packing.getInterleaved() : 1;
}

// Columns of a panel: tiles of every machine divide it, so that all variants of
// a kernel read the same weights.
constexpr int64_t panelWidth = 32;

// Whether what is multiplied with pairs of bfloat16 is rounded to that.
static bool multipliesPairs(xf::KernelOp kernel) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  return kernel.getAnchor() == "contraction" &&
         llvm::any_of(products, [&](xf::ContractOp product) {
           auto round = product.getLhs().getDefiningOp<xf::RoundOp>();
           return round && round.getDtype() == "bf16" &&
                  interleavedRows(kernel, product) == 2;
         });
}

static FailureOr<Numbers> contractionSchedule(xf::KernelOp kernel,
                                              const Machine &machine) {
  auto products = kernel.getBody().getOps<xf::ContractOp>();
  if (products.empty())
    return kernel.emitError("a contraction kernel needs an xf.contract");
  xf::ContractOp product = *products.begin();
  int64_t depth = std::max<int64_t>(summedSize(product), 1);
  // With the rows of a tile, what fills the registers and leaves room for a row
  // of W. ScheduleContraction.cpp counts.
  int64_t columns = 2 * machine.vector;
  int64_t rows = machine.registers == 32 ? 8 : 6;
  int64_t group =
      interleavedRows(kernel, product) == 2 ? 2 * xf::PanelsAttr::distance : 1;
  ArrayRef<Attribute> shape = product.getType().getShape();
  Numbers numbers = {{"columns", columns},
                     {"depth", depthOfPart(depth, group)},
                     {"unroll", 1},
                     {"vector", machine.vector}};
  if (machine.dot > 1 && multipliesPairs(kernel))
    numbers.push_back({"dot", machine.dot});
  if (shape.size() == 1) {
    // One row: up to four panels at a time, so that sums do not wait for each
    // other.
    int64_t tiles = (*xf::getNumber(shape[0]) + columns - 1) / columns;
    numbers[0].second *= tiles % 4 == 0 ? 4 : tiles % 2 == 0 ? 2 : 1;
    return numbers;
  }
  // A block of rows takes half of a second-level cache of 1 MiB, at most.
  int64_t block = (1 << 17) / depth / rows * rows;
  numbers.push_back(
      {"block", std::clamp<int64_t>(block, rows, 128 / rows * rows)});
  numbers.push_back({"rows", rows});
  return numbers;
}

// Of a head. The last product's: what follows may join the heads.
static FailureOr<int64_t> channelsOf(xf::KernelOp kernel) {
  std::optional<int64_t> channels;
  for (auto product : kernel.getBody().getOps<xf::ContractOp>())
    channels = xf::getNumber(product.getType().getShape().back());
  if (!channels)
    return kernel.emitError("the channels of attention are a number");
  return *channels;
}

// Heads of queries that read the same keys and values: heads of keys that are
// repeated.
static int64_t sharedHeads(xf::KernelOp kernel) {
  int64_t shared = 0;
  for (auto repeat : kernel.getBody().getOps<xf::RepeatOp>())
    if (repeat.getAxis() == 0)
      shared = std::gcd(shared, repeat.getTimes());
  // Up to 8 come together: what is unrolled stays small.
  for (int64_t several = 8; several > 1; --several)
    if (shared != 0 && shared % several == 0)
      return several;
  return 1;
}

static FailureOr<Numbers> attentionSchedule(xf::KernelOp kernel,
                                            const Machine &machine) {
  FailureOr<int64_t> channels = channelsOf(kernel);
  if (failed(channels))
    return failure();
  // As many of a head's channels as divide it and leave registers: rows times
  // vectors of channels are accumulators.
  int64_t rows = machine.registers == 32 ? 8 : 6;
  int64_t chunk = machine.vector;
  while (*channels % chunk)
    chunk /= 2;
  int64_t vectors = machine.registers == 32 ? 3 : 2;
  while (*channels % (vectors * chunk))
    --vectors;
  return Numbers{{"channels", vectors * chunk},
                 {"keys", 2 * machine.vector},
                 {"rows", rows},
                 {"strip", 2 * rows},
                 {"unroll", 1},
                 {"vector", machine.vector}};
}

// Of few queries and many keys: parts of keys are tasks, so that there are some
// for all threads with a cache of a few hundred positions.
static Numbers decodingSchedule(xf::KernelOp kernel, const Machine &machine) {
  return {{"keys", 2 * machine.vector},
          {"part", 128},
          {"shared", sharedHeads(kernel)},
          {"vector", machine.vector}};
}

// Strips of queries read those keys only that the mask may let one of them see.
static void limitKeys(xf::KernelOp kernel,
                      SmallVectorImpl<NamedAttribute> &schedule) {
  auto softmaxes = kernel.getBody().getOps<xf::SoftmaxOp>();
  auto mask = softmaxes.empty()
                  ? xf::MaskAttr()
                  : (*softmaxes.begin()).getMask().value_or(xf::MaskAttr());
  if (!mask)
    return;
  auto [from, to] = xf::seenKeysOf(mask);
  Builder builder(kernel.getContext());
  for (auto [name, map] : {std::pair("keys_from", from), {"keys_to", to}})
    if (map.getNumResults() != 0)
      schedule.push_back(builder.getNamedAttr(name, AffineMapAttr::get(map)));
}

// Matrices of weights come in panels: every launch passes a weight for them.
static void packMatrices(xf::KernelOp kernel) {
  if (kernel.getAnchor() != "contraction")
    return;
  for (auto product : kernel.getBody().getOps<xf::ContractOp>()) {
    BlockArgument matrix = matrixOf(product);
    if (!matrix || !matrix.hasOneUse() ||
        kernel.getArgAttr(matrix.getArgNumber(), "xf.packing"))
      continue;
    auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
    bool isWeight =
        uses && llvm::all_of(*uses, [&](auto use) {
          auto launch = dyn_cast<xf::LaunchOp>(use.getUser());
          return launch && launch.getOperands()[matrix.getArgNumber()]
                               .template getDefiningOp<xf::WeightOp>();
        });
    if (!isWeight)
      continue;
    auto storage = kernel.getArgAttrOfType<StringAttr>(matrix.getArgNumber(),
                                                       "xf.storage");
    bool inPairs = storage && storage == "bf16" &&
                   summedSize(product) % (2 * xf::PanelsAttr::distance) == 0;
    kernel.setArgAttr(
        matrix.getArgNumber(), "xf.packing",
        xf::PanelsAttr::get(kernel.getContext(), panelWidth, inPairs ? 2 : 1));
  }
}

// Large weights that a checkpoint has in 16 bits are read as they are: the
// bytes that a kernel has to fetch are what a step of one token takes. Exact,
// since every such number is a float32.
static void keepStorage(xf::KernelOp kernel) {
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  if (!uses)
    return;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    ArrayRef<Attribute> shape = xf::getShape(argument.getType());
    if (shape.size() < 2 || !llvm::all_of(shape, xf::getNumber))
      continue;
    StringAttr storage;
    bool isCommon = true;
    for (auto use : *uses) {
      auto launch = dyn_cast<xf::LaunchOp>(use.getUser());
      auto weight = launch ? launch.getOperands()[argument.getArgNumber()]
                                 .template getDefiningOp<xf::WeightOp>()
                           : xf::WeightOp();
      auto stored = weight ? SymbolTable::lookupNearestSymbolFrom<xf::StoredOp>(
                                 weight, weight.getStoredAttr())
                           : xf::StoredOp();
      StringAttr own = stored ? stored.getExactStorage() : StringAttr();
      isCommon &= own && (!storage || own == storage);
      storage = own;
    }
    if (isCommon && storage)
      kernel.setArgAttr(argument.getArgNumber(), "xf.storage", storage);
  }
}

// The most rows for which a kernel of few rows pays.
constexpr int64_t fewRows = 4;

// Whether a kernel of few rows can be made: a matrix of rows with a length, or
// heads of queries and keys with lengths.
static bool canHaveFewRows(xf::KernelOp kernel) {
  ArrayRef<Attribute> shape =
      xf::getShape(kernel.getFunctionType().getResult(0));
  if (kernel.getAnchor() == "contraction")
    return shape.size() == 2 && !xf::getNumber(shape[0]);
  if (kernel.getAnchor() != "attention")
    return false;
  auto softmaxes = kernel.getBody().getOps<xf::SoftmaxOp>();
  SmallVector<xf::ContractOp> products(
      kernel.getBody().getOps<xf::ContractOp>());
  if (softmaxes.empty() || products.size() != 2)
    return false;
  ArrayRef<Attribute> scores = (*softmaxes.begin()).getType().getShape();
  ArrayAttr weights = products[1].getLhsLabels(),
            mixture = products[1].getLabels();
  return scores.size() == 3 && xf::getNumber(scores[0]) &&
         !xf::getNumber(scores[1]) && !xf::getNumber(scores[2]) &&
         mixture.size() == 3 && mixture[0] == weights[0] &&
         mixture[1] == weights[1];
}

// Whether steps launch the kernel, with rows that may be few.
static bool isForSteps(xf::KernelOp kernel) {
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  return uses && canHaveFewRows(kernel) && llvm::any_of(*uses, [](auto use) {
           auto entry = use.getUser()->template getParentOfType<xf::EntryOp>();
           return entry && entry.getStage() == "step";
         });
}

// Rows one by one: nothing is computed that nobody reads, and the weights come
// from memory once, from the cache for the second row. One panel at a time is
// one stream of memory, and its two vectors of sums suffice: with a latency of
// 4 cycles they take 32 bytes a cycle, 16 of pairs, and memory gives about 8.
// (Two panels are two streams: 134 tokens/s instead of 150 with bfloat16.)
static void scheduleFewRows(Numbers &numbers) {
  for (auto &[name, number] : numbers) {
    if (name == "rows")
      number = 1;
    if (name == "block")
      number = fewRows;
    if (name == "columns")
      number = panelWidth;
  }
}

// Threads of a block and their share of the work; ScheduleContractionGpu.cpp
// and ScheduleAttentionGpu.cpp count.
static FailureOr<Numbers> scheduleOnGpu(xf::KernelOp kernel) {
  StringRef anchor = kernel.getAnchor();
  if (anchor == "contraction") {
    auto products = kernel.getBody().getOps<xf::ContractOp>();
    if (products.empty())
      return kernel.emitError("a contraction kernel needs an xf.contract");
    int64_t depth = std::max<int64_t>(summedSize(*products.begin()), 1);
    return Numbers{{"across", 16},
                   {"columns", 4},
                   {"depth", depthOfPart(depth)},
                   {"down", 8},
                   {"rows", 8}};
  }
  if (anchor == "attention") {
    FailureOr<int64_t> channels = channelsOf(kernel);
    if (failed(channels))
      return failure();
    // As many queries as give a block up to 256 threads.
    return Numbers{{"keys", 32},
                   {"strip", std::clamp<int64_t>(256 / *channels, 1, 8)}};
  }
  if (anchor == "rows" || anchor == "reduction")
    return Numbers{{"lanes", 64}};
  return kernel.emitError()
         << "no schedule is known for anchor \"" << anchor << "\"";
}

static FailureOr<Numbers> scheduleOf(xf::KernelOp kernel,
                                     const Machine &machine) {
  if (machine.isGpu)
    return scheduleOnGpu(kernel);
  StringRef anchor = kernel.getAnchor();
  if (anchor == "contraction")
    return contractionSchedule(kernel, machine);
  if (anchor == "attention")
    return attentionSchedule(kernel, machine);
  if (anchor == "rows")
    return Numbers{{"block", 16},
                   {"lanes", 4 * machine.vector},
                   {"vector", machine.vector}};
  if (anchor == "reduction")
    return Numbers{{"columns", 4 * machine.vector},
                   {"lanes", 4 * machine.vector},
                   {"vector", machine.vector}};
  return kernel.emitError()
         << "no schedule is known for anchor \"" << anchor << "\"";
}

namespace {
struct AssignSchedules : kernels::impl::AssignSchedulesBase<AssignSchedules> {
  using AssignSchedulesBase::AssignSchedulesBase;

  void runOnOperation() override {
    auto machines = machinesOf(target);
    if (failed(machines))
      return signalPassFailure();
    SmallVector<xf::KernelOp> kernels(getOperation().getOps<xf::KernelOp>());
    for (xf::KernelOp kernel : kernels) {
      // A kernel that has a target is for that one alone.
      if (kernel.getTarget()) {
        auto own = machinesOf(kernel.getTarget()->str());
        if (failed(own) || failed(assign(kernel, own->front())))
          return signalPassFailure();
        continue;
      }
      if (!machines->front().isGpu)
        keepStorage(kernel);
      packMatrices(kernel);
      OpBuilder builder(kernel);
      builder.setInsertionPointAfter(kernel);
      SmallVector<xf::KernelOp> forms = {kernel};
      if (!machines->front().isGpu && isForSteps(kernel)) {
        auto few = cast<xf::KernelOp>(builder.clone(*kernel));
        few.setSymName((kernel.getSymName() + "_few").str());
        kernel.setFew(few.getSymName());
        kernel.setFewRows(fewRows);
        forms.push_back(few);
      }
      for (xf::KernelOp form : forms)
        if (failed(assignVariants(form, *machines, form != kernel)))
          return signalPassFailure();
    }
    listVariants(*machines);
  }

  /// The order in which a program tries its variants: `xf.variants`.
  void listVariants(const std::vector<Machine> &machines) {
    llvm::StringSet<> used;
    for (auto kernel : getOperation().getOps<xf::KernelOp>())
      used.insert(kernel.getVariant().value_or(""));
    SmallVector<StringRef> names;
    for (const Machine &machine : machines)
      if (used.contains(machine.name))
        names.push_back(machine.name);
    if (names.size() > 1)
      getOperation()->setAttr("xf.variants",
                              Builder(&getContext()).getStrArrayAttr(names));
  }

  static LogicalResult assignVariants(xf::KernelOp kernel,
                                      std::vector<Machine> machines,
                                      bool isFew) {
    // Instructions that the kernel has no use for make no variant.
    if (machines.size() > 1 && !multipliesPairs(kernel))
      llvm::erase_if(machines,
                     [](const Machine &machine) { return machine.dot > 1; });
    OpBuilder builder(kernel);
    builder.setInsertionPointAfter(kernel);
    SmallVector<xf::KernelOp> variants = {kernel};
    for (size_t k = 1; k < machines.size(); ++k) {
      auto other = cast<xf::KernelOp>(builder.clone(*kernel));
      other.setSymName((kernel.getSymName() + "_" + machines[k].name).str());
      other.setVariantOf(kernel.getSymName());
      other.removeFewAttr();
      other.removeFewRowsAttr();
      variants.push_back(other);
    }
    for (auto [variant, machine] : llvm::zip(variants, machines)) {
      variant.setTarget(machine.target);
      variant.setVariant(machine.name);
      if (failed(assign(variant, machine, isFew)))
        return failure();
    }
    return success();
  }

  FailureOr<std::vector<Machine>> machinesOf(const std::string &name) {
    std::string refusal;
    try {
      return kernels::describeMachines(name);
    } catch (const std::exception &error) {
      refusal = error.what();
    }
    return getOperation().emitError(refusal);
  }

  static LogicalResult assign(xf::KernelOp kernel, const Machine &machine,
                              bool isFew = false) {
    if (kernel.getSchedule())
      return success();
    bool isAttention = kernel.getAnchor() == "attention";
    FailureOr<Numbers> numbers =
        isFew && isAttention ? FailureOr(decodingSchedule(kernel, machine))
                             : scheduleOf(kernel, machine);
    if (failed(numbers))
      return failure();
    if (isFew && !isAttention)
      scheduleFewRows(*numbers);
    Builder builder(kernel.getContext());
    SmallVector<NamedAttribute> entries;
    for (auto [name, number] : *numbers)
      entries.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(number)));
    if (isAttention && !machine.isGpu)
      limitKeys(kernel, entries);
    kernel.setScheduleAttr(builder.getDictionaryAttr(entries));
    return success();
  }
};
} // namespace
