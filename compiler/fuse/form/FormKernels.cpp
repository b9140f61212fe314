// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-form-kernels: forms kernels from anchors and the operations around them.
//
// Before:
//   %0 = xf.contract %x[n, k], %W[k, c] -> [n, c]
//   %1 = xf.add %0[n, c], %b[c] -> [n, c]
//   %2 = xf.gelu %1
// After:
//   %2 = xf.launch @contract_add_gelu(%x, %W, %b)
//   xf.kernel @contract_add_gelu(%x, %W, %b) { … the three … }
//
// Anchors, in this order, each taking operations that are in no other region:
//   scan         on a processor, a recurrence whose lanes are independent, with
//                its region, and the tables of its first states
//   attention    softmax between two contractions: no n × m value is stored;
//                with biases by position, rotations and shared keys
//   contraction  any other product of matrices
//   rows         a norm or softmax over each row
//   reduction    a sum, mean or maximum over an axis; lists of rows that chose
//                experts, and the sum over these
//   rows         the remaining operations: gathers, slices, arithmetic
// An anchor takes the pointwise operations that are the only users of its
// result (epilogue), also if they use it twice, as x · sigmoid(x) does. A rows
// anchor also takes the operations that feed only it (prologue), a contraction
// the rounding of its left operand and the gather of listed rows. For a device,
// regions are joined where that saves a launch (JoinRegions.h). Exact:
// operations only move.

#include "compiler/fuse/AttentionPattern.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/form/JoinRegions.h"
#include "compiler/fuse/form/ValuesOfKernels.h"
#include "dialect/Labels.h"
#include "dialect/MemoryOrder.h"
#include "dialect/Places.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Support/raw_ostream.h>

namespace transfold::fuse {
#define GEN_PASS_DEF_FORMKERNELS
#include "compiler/fuse/Passes.h.inc"
} // namespace transfold::fuse

using namespace mlir;
using namespace transfold;
using fuse::anchorOf;
using fuse::isConstant;
using fuse::isOfEpilogue;
using fuse::isRoundedByReaders;
using fuse::isStored;
using fuse::isTakenByReaders;
using fuse::KernelRegion;
using fuse::outline;

namespace {

/// Whether `op` must run for one sequence by itself: it depends on positions,
/// or on values that differ by sequence.
bool isOfSequence(Operation *op) {
  auto law = dyn_cast<xf::BatchLawInterface>(op);
  return !law || law.getBatchLaw() != xf::BatchLaw::Rows ||
         llvm::any_of(op->getOperands(), [](Value operand) {
           return isa<xf::RealType>(operand.getType()) &&
                  llvm::all_of(xf::getShape(operand.getType()),
                               [](Attribute axis) {
                                 return xf::getNumber(axis).has_value();
                               }) &&
                  !xf::isWeightOnly(operand);
         });
}

/// Forms the regions of one block.
class Former {
public:
  Former(Block &block, bool onDevice) : block(block), onDevice(onDevice) {}

  /// Forms all regions of the block. The order decides which anchor gets an
  /// operation that several could take.
  std::vector<std::unique_ptr<KernelRegion>> form() {
    for (Operation &op : block)
      if (auto scan = dyn_cast<xf::ScanOp>(op); scan && !onDevice)
        formScan(scan);
    for (Operation &op : block)
      if (auto softmax = dyn_cast<xf::SoftmaxOp>(op))
        formAttention(softmax);
    for (Operation &op : block)
      if (isFree(&op, xf::Anchor::Contraction))
        takeRows(start(xf::Anchor::Contraction, &op), &op);
    for (auto &region : regions)
      if (region->anchor == xf::Anchor::Contraction)
        growEpilogue(region.get());
    for (Operation &op : block)
      if (isFree(&op, xf::Anchor::Rows)) {
        KernelRegion *region = start(xf::Anchor::Rows, &op);
        growPrologue(region, &op);
        growEpilogue(region);
      }
    for (Operation &op : block)
      if (isFree(&op, xf::Anchor::Reduction))
        growEpilogue(start(xf::Anchor::Reduction, &op));
    for (Operation &op : block)
      if (isConstant(&op) && isStored(op))
        start(xf::Anchor::Rows, &op);
    // From the last one: an operation takes the operations that only it uses.
    for (Operation &op : llvm::reverse(block))
      if (isLeftOver(&op) && !owner.contains(&op))
        growPrologue(start(xf::Anchor::Rows, &op), &op);
    return std::move(regions);
  }

private:
  /// Whether an operation is an anchor of this kind and not yet in a region.
  bool isFree(Operation *op, xf::Anchor anchor) const {
    return anchorOf(op) == anchor && !owner.contains(op);
  }

  /// A new region whose only operation and result is `op`.
  KernelRegion *start(xf::Anchor anchor, Operation *op) {
    regions.push_back(std::make_unique<KernelRegion>());
    regions.back()->anchor = anchor;
    add(regions.back().get(), op);
    regions.back()->root = op;
    return regions.back().get();
  }

  /// Adds an operation to a region, so that no other one takes it.
  void add(KernelRegion *region, Operation *op) {
    region->ops.insert(op);
    owner[op] = region;
  }

  /// Whether a kernel would both run per sequence and count the rows of all
  /// sequences.
  static bool wouldMix(const KernelRegion &region, Operation *op) {
    auto any = [&](bool (*holds)(Operation *)) {
      return holds(op) || llvm::any_of(region.ops, holds);
    };
    return any([](Operation *op) { return op->hasTrait<xf::ChosenRows>(); }) &&
           any(isOfSequence);
  }

  /// The single user of `op`, if both are in this block; null otherwise.
  Operation *onlyUser(Operation *op) {
    if (op->getBlock() != &block || op->getNumResults() != 1 ||
        !op->hasOneUse())
      return nullptr;
    Operation *user = *op->user_begin();
    return user->getBlock() == &block ? user : nullptr;
  }

  /// A recurrence, with what selects its first states, and rows that several
  /// heads share.
  void formScan(xf::ScanOp scan) {
    if (!fuse::isOneKernel(scan))
      return;
    KernelRegion *region = start(xf::Anchor::Scan, scan);
    for (Value init : scan.getInits())
      if (auto table = init.getDefiningOp<xf::TabulateOp>();
          table && table->hasOneUse() && !owner.contains(table)) {
        table->moveBefore(scan); // the same for all layers, made before them
        add(region, table);
      }
    for (Value rows : scan.getRows())
      if (auto repeat = rows.getDefiningOp<xf::RepeatOp>();
          repeat && onlyUser(repeat) == scan && !owner.contains(repeat))
        add(region, repeat);
  }

  /// scores = contract(q, k) → scale, cap, … → softmax → contract with v.
  void formAttention(xf::SoftmaxOp softmax) {
    auto attention = fuse::findAttention(softmax);
    if (!attention || !fuse::isByHeads(*attention))
      return;
    auto [scores, chain, _, values] = *attention;
    // Consecutive attentions must not share operations.
    if (owner.contains(scores) ||
        llvm::any_of(chain, [&](Operation *op) { return owner.contains(op); }))
      return;
    KernelRegion *region = start(xf::Anchor::Attention, scores);
    for (Operation *op : chain) {
      add(region, op);
      takeTables(region, op);
    }
    add(region, values);
    region->root = values;
    growEpilogue(region);
    for (Value operand : {scores.getLhs(), scores.getRhs(), values.getRhs()})
      takeAlong(region, operand);
    // Merging of the heads into columns.
    Operation *user = onlyUser(region->root);
    if (user && joinsHeads(user) && !owner.contains(user)) {
      add(region, user);
      region->root = user;
    }
  }

  /// Takes biases by position, so that no n × m value of them is stored.
  void takeTables(KernelRegion *region, Operation *op) {
    for (Value operand : op->getOperands())
      if (auto bias = operand.getDefiningOp<xf::TabulateOp>();
          bias && bias->getBlock() == &block && onlyUser(bias) == op &&
          !owner.contains(bias))
        add(region, bias);
  }

  /// Whether `op` is a rearrangement that moves elements in memory, i.e. is not
  /// a view.
  static bool movesRows(Operation *op) {
    auto rearrange = dyn_cast<xf::RearrangeOp>(op);
    return rearrange && !xf::isView(rearrange);
  }

  /// Whether `op` merges heads into adjacent columns: [rows, (heads channels)].
  static bool joinsHeads(Operation *op) {
    auto rearrange = dyn_cast<xf::RearrangeOp>(op);
    if (!rearrange || !movesRows(op) || rearrange.getTo().size() != 2)
      return false;
    auto lastOf = [](ArrayAttr groups) {
      auto group = cast<ArrayAttr>(groups[groups.size() - 1]);
      return group.empty() ? Attribute() : group[group.size() - 1];
    };
    return lastOf(rearrange.getFrom()) == lastOf(rearrange.getTo());
  }

  /// Whether `op` selects columns of the rows that are the keys of an
  /// attention: its values, if all heads share keys and values.
  static bool cutsKeys(const KernelRegion &region, Operation *op) {
    auto slice = dyn_cast<xf::SliceOp>(op);
    auto scores = dyn_cast<xf::ContractOp>(region.ops.front());
    return slice && scores && !slice.getFirst() &&
           slice.getInput() == scores.getRhs();
  }

  /// Takes cheap operations that compute queries, keys or values from values in
  /// memory: cutting heads from columns, repeating keys for several queries,
  /// rotations, columns of keys, and a scale or rounding after one of these.
  void takeAlong(KernelRegion *region, Value operand) {
    Operation *op = operand.getDefiningOp();
    Operation *user = op ? onlyUser(op) : nullptr;
    if (!user || op->getBlock() != &block || !region->ops.contains(user) ||
        owner.contains(op))
      return;
    if (isa<xf::RoundOp>(op)) {
      if (isOfEpilogue(op))
        return;
    } else if (isa<xf::ScaleOp>(op)) {
      // A scale after a contraction belongs to that contraction's kernel.
      auto rotation = op->getOperand(0).getDefiningOp<xf::RotateOp>();
      if (!rotation || onlyUser(rotation) != op || owner.contains(rotation))
        return;
    } else if (!isa<xf::RotateOp, xf::RepeatOp>(op) && !movesRows(op) &&
               !cutsKeys(*region, op)) {
      return;
    }
    add(region, op);
    takeAlong(region, op->getOperand(0));
  }

  /// Takes the operations that prepare the rows of a contraction: their
  /// rounding, and the gather of listed rows.
  void takeRows(KernelRegion *region, Operation *contraction) {
    Operation *reader = contraction;
    for (auto isTaken : {isRoundedByReaders, isTakenByReaders}) {
      Operation *op = reader->getOperand(0).getDefiningOp();
      if (!op || !isTaken(op) || onlyUser(op) != reader || owner.contains(op))
        continue;
      add(region, op);
      reader = op;
    }
  }

  /// Whether `user` is a pointwise operation that reads each element of
  /// `inner`'s results at its own position.
  bool continues(const KernelRegion &region, Operation *user,
                 const llvm::SmallSetVector<Operation *, 4> &inner) const {
    return user->getBlock() == &block && !owner.contains(user) &&
           (user->hasTrait<xf::Pointwise>() || isa<xf::BoundedByOp>(user)) &&
           !wouldMix(region, user) &&
           llvm::all_of(user->getOperands(), [&](Value operand) {
             Operation *maker = operand.getDefiningOp();
             return !inner.contains(maker) ||
                    xf::readsOwnEntries(user, operand);
           });
  }

  /// The operations after the region's result, up to the first one whose result
  /// alone is used elsewhere: x · sigmoid(x) uses x twice and is taken as a
  /// whole. Empty if there are none.
  SmallVector<Operation *> nextOfEpilogue(const KernelRegion &region) const {
    llvm::SmallSetVector<Operation *, 4> inner;
    inner.insert(region.root);
    for (;;) {
      Operation *next = nullptr;
      for (Operation *op : inner)
        for (Operation *user : op->getUsers())
          if (!inner.contains(user) &&
              (!next || user->getBlock() != &block ||
               (next->getBlock() == &block && user->isBeforeInBlock(next))))
            next = user;
      if (!next || !continues(region, next, inner))
        return {};
      const bool isOnlyOneUsed = llvm::all_of(inner, [&](Operation *op) {
        return llvm::all_of(op->getUsers(), [&](Operation *user) {
          return user == next || inner.contains(user);
        });
      });
      inner.insert(next);
      if (isOnlyOneUsed)
        return SmallVector<Operation *>(llvm::drop_begin(inner));
    }
  }

  /// Limit of the operations in a region. A long chain may need more registers
  /// than any machine has, and the time to compile a kernel grows
  /// superlinearly: 20 functions in a row take seconds, 60 took minutes. The
  /// rest becomes another kernel.
  static constexpr size_t mostOperations = 32;

  /// Takes the pointwise operations after the region's result, as long as that
  /// result is used by them alone.
  void growEpilogue(KernelRegion *region) {
    for (;;) {
      SmallVector<Operation *> next = nextOfEpilogue(*region);
      if (next.empty() || region->ops.size() + next.size() > mostOperations)
        return;
      for (Operation *op : next) {
        add(region, op);
        takeTables(region, op);
      }
      region->root = next.back();
    }
  }

  /// Takes the operations that compute operands of `op` for it alone, so that
  /// they need no kernel and no memory of their own.
  void growPrologue(KernelRegion *region, Operation *op) {
    // A sum over experts is built from the first to the last: the right operand
    // is the last expert, the left operand the sum of those before.
    for (Value operand : llvm::reverse(op->getOperands())) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != &block ||
          region->ops.size() >= mostOperations || owner.contains(producer) ||
          !producer->hasOneUse() || !isLeftOver(producer) ||
          isCounted(operand) || wouldMix(*region, producer) ||
          (spreads(producer) &&
           llvm::any_of(region->ops, llvm::IsaPred<xf::ExpandOp>)))
        continue;
      add(region, producer);
      growPrologue(region, producer);
    }
  }

  /// Whether `op` contains a spread of rows. Rows are spread for one expert at
  /// a time; the spread rows of all experts would otherwise be in memory
  /// together.
  bool spreads(Operation *op) {
    if (isa<xf::ExpandOp>(op))
      return true;
    return isLeftOver(op) && llvm::any_of(op->getOperands(), [&](Value x) {
             Operation *producer = x.getDefiningOp();
             return producer && producer->hasOneUse() && spreads(producer);
           });
  }

  /// Whether `value` is ranks, which must be in memory before rows are picked
  /// by them.
  static bool isCounted(Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<xf::CompressOp>) &&
           isa_and_nonnull<xf::RunningCountOp>(value.getDefiningOp());
  }

  /// Whether `op` is not an anchor but still needs a kernel: it computes or
  /// moves elements, and is not a constant, weight or view.
  bool isLeftOver(Operation *op) {
    if (auto rearrange = dyn_cast<xf::RearrangeOp>(op))
      return !xf::isView(rearrange);
    return isPure(op) && op->getNumResults() == 1 && !anchorOf(op) &&
           !isConstant(op) && !isa<xf::WeightOp>(op);
  }

  Block &block;
  const bool onDevice;
  // The region of each operation that has one.
  llvm::DenseMap<Operation *, KernelRegion *> owner;
  std::vector<std::unique_ptr<KernelRegion>> regions;
};

struct FormKernels : fuse::impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    known.clear();
    SmallVector<Block *> blocks;
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      entry.walk([&](Operation *op) {
        auto scan = dyn_cast<xf::ScanOp>(op);
        if (isa<xf::EntryOp, xf::LayersOp>(op) ||
            (scan && (onDevice || !fuse::isOneKernel(scan))))
          blocks.push_back(&op->getRegion(0).front());
      });
    for (Block *block : blocks) {
      fuse::copyToUses(*block);
      fuse::copyWeights(*block);
      fuse::Regions regions = Former(*block, onDevice).form();
      if (onDevice)
        fuse::joinProducts(regions);
      if (onDevice && isMadeInSteps(*block))
        fuse::joinNorms(regions);
      for (auto &region : regions)
        launch(*region);
    }
    // Kernels contain copies of constants.
    for (Block *block : blocks)
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isConstant(&op) && op.use_empty())
          op.erase();
  }

  /// Whether a block belongs to a step, or to an entry that has steps, whose
  /// kernels are shared: the rows may be few.
  bool isMadeInSteps(Block &block) {
    Operation *parent = block.getParentOp();
    auto own = dyn_cast<xf::EntryOp>(parent);
    if (!own)
      own = parent->getParentOfType<xf::EntryOp>();
    return llvm::any_of(getOperation().getOps<xf::EntryOp>(), [&](auto entry) {
      return entry.getStage() == xf::Stage::Step &&
             (entry == own || entry.getStageOf() == own.getSymName());
    });
  }

  /// The places of all operations of a region, that of its root first.
  static Location placesOf(KernelRegion &region) {
    SmallVector<Operation *> ordered(region.ops.begin(), region.ops.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    SmallVector<Location> all = {region.root->getLoc()};
    for (Operation *outer : ordered)
      outer->walk<WalkOrder::PreOrder>(
          [&](Operation *op) { all.push_back(op->getLoc()); });
    return FusedLoc::get(region.root->getContext(), all);
  }

  /// Replaces the operations of a region by a launch of its kernel.
  void launch(KernelRegion &region) {
    SmallVector<Value> operands;
    xf::KernelOp kernel = outline(region, operands);
    const Location places = placesOf(region);
    kernel->setLoc(places);
    StringRef name = unique(kernel);
    OpBuilder builder(region.root);
    auto launched = xf::LaunchOp::create(
        builder, places, region.root->getResultTypes(), name, operands);
    for (Operation *op : region.ops)
      if (auto pick = dyn_cast<xf::CompressOp>(op))
        launched.setCountedBy(llvm::find(operands, pick.getRanks()) -
                              operands.begin());
    region.root->replaceAllUsesWith(launched);
    ++launches;
    // Users before producers.
    SmallVector<Operation *> ordered(region.ops.begin(), region.ops.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return b->isBeforeInBlock(a);
    });
    for (Operation *op : ordered)
      op->erase();
  }

  /// Adds the equations of `other`, which has the same text, to `kernel`.
  static void addPlacesOf(xf::KernelOp kernel, xf::KernelOp other) {
    SmallVector<Operation *> own, others;
    kernel->walk([&](Operation *op) { own.push_back(op); });
    other->walk([&](Operation *op) { others.push_back(op); });
    for (auto [op, same] : llvm::zip_equal(own, others))
      xf::addPlaces(op, same->getLoc());
  }

  /// The name of `kernel` in the module, or of an equal existing kernel, i.e.
  /// one with the same text except for the name.
  StringRef unique(xf::KernelOp kernel) {
    std::string name = kernel.getSymName().str(), text;
    llvm::raw_string_ostream stream(text);
    kernel->print(stream,
                  OpPrintingFlags().useLocalScope().enableDebugInfo(false));
    auto [found, isNew] = known.try_emplace(text);
    if (!isNew) {
      addPlacesOf(found->second, kernel);
      kernel->erase();
      return found->second.getSymName();
    }
    ++kernels;
    found->second = kernel;
    for (unsigned number = 2; getOperation().lookupSymbol(kernel.getSymName());
         ++number)
      kernel.setSymName(name + "_" + std::to_string(number));
    getOperation().push_back(kernel);
    return kernel.getSymName();
  }

  // The kernels so far, by their text.
  llvm::StringMap<xf::KernelOp> known;
};

} // namespace
