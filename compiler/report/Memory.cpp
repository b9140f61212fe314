// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are numbered in program order, as the planner does
// (host/plan/PlanMemory.cpp). A value lives from the operation that writes it
// to the last one that reads it; what a loop reads lives until the loop ends.

#include "compiler/report/Memory.h"

#include "compiler/host/plan/ChosenRows.h"
#include "compiler/host/plan/LengthProducts.h"
#include "compiler/report/StageText.h"
#include "dialect/weights/StoredValues.h"

#include <llvm/ADT/DenseMap.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::report;
using nlohmann::ordered_json;

namespace {

/// The plan of one entry.
class EntryMemory {
public:
  EntryMemory(xf::EntryOp entry, const SpecEquations &equations)
      : entry(entry), equations(equations),
        sizes(entry, host::sourcesOfLengths(entry)) {}

  ordered_json json() {
    number(entry.getBody().front());
    entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto launch = dyn_cast<xf::LaunchOp>(op))
        add(launch.getResult(), launch.getBufferAttr());
      else if (auto transfer = dyn_cast<xf::TransferOp>(op)) {
        if (slotOf(transfer.getInput()) != slotOf(transfer.getResult()))
          add(transfer.getResult(), transfer.getBufferAttr());
      } else if (auto scan = dyn_cast<xf::ScanOp>(op))
        for (OpResult result : scan->getResults())
          add(result, bufferOf(result));
    });
    ordered_json slots = ordered_json::array();
    // An entry without values in the arena has no slots.
    const std::optional<ArrayAttr> planned = entry.getSlots();
    for (Attribute slot : planned ? planned->getValue() : ArrayRef<Attribute>())
      slots.push_back(
          {{"bytes", bytes(cast<DenseI64ArrayAttr>(slot).asArrayRef())}});
    return {{"entry", entry.getSymName().str()},
            {"slots", std::move(slots)},
            {"steps", std::move(steps)},
            {"values", std::move(values)}};
  }

private:
  /// Numbers the operations; the end of a loop has a number of its own.
  void number(Block &block) {
    for (Operation &op : block) {
      time[&op] = steps.size();
      if (isa<xf::LaunchOp, xf::ScanOp, xf::LayersOp>(op))
        step(op);
      if (isa<xf::LayersOp, xf::ScanOp>(op)) {
        number(op.getRegion(0).front());
        loopEnd[&op] = steps.size();
      }
    }
  }

  void step(Operation &op) {
    ordered_json added = {{"operation", op.getName().stripDialect().str()}};
    if (auto launch = dyn_cast<xf::LaunchOp>(op))
      added["kernel"] = launch.getKernel().str();
    writeOrigins(added, equations.of(op.getLoc()));
    steps.push_back(std::move(added));
  }

  /// The buffer that the plan gives to a value; null if it has none.
  static xf::BufferAttr bufferOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto launch = dyn_cast_or_null<xf::LaunchOp>(op))
      return launch.getBufferAttr();
    if (auto transfer = dyn_cast_or_null<xf::TransferOp>(op))
      return transfer.getBufferAttr();
    if (auto view = dyn_cast_or_null<xf::RearrangeOp>(op))
      return bufferOf(view.getInput());
    if (auto scan = dyn_cast_or_null<xf::ScanOp>(op))
      if (auto buffers = scan.getBuffersAttr())
        return dyn_cast<xf::BufferAttr>(
            buffers[cast<OpResult>(value).getResultNumber()]);
    return {};
  }

  static std::optional<int64_t> slotOf(Value value) {
    xf::BufferAttr buffer = bufferOf(value);
    if (!buffer || buffer.getKind() != xf::BufferKind::Arena)
      return std::nullopt;
    return buffer.getIndex();
  }

  /// The number of the last operation that reads a value, or a view of it.
  unsigned lastUse(Value value) {
    unsigned last = 0;
    Block *home = value.getParentBlock();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      unsigned at = loopEnd.contains(user) ? loopEnd[user] : time[user];
      for (Operation *op = user; op->getBlock() != home;) {
        op = op->getParentOp();
        at = loopEnd.lookup(op);
      }
      last = std::max(last, at);
      bool isSame = isa<xf::RearrangeOp>(user) ||
                    (isa<xf::TransferOp>(user) &&
                     slotOf(user->getResult(0)) == slotOf(value));
      if (isSame)
        last = std::max(last, lastUse(user->getResult(0)));
    }
    return last;
  }

  void add(Value value, xf::BufferAttr buffer) {
    if (!buffer || buffer.getKind() != xf::BufferKind::Arena)
      return;
    const unsigned begin = time[value.getDefiningOp()];
    SmallVector<int64_t> own(1 + sizes.count(), 0);
    auto size = sizes.of(value.getType());
    own[size ? 1 + *size : 0] = xf::bytesOfOne(value);
    ordered_json added = {{"slot", buffer.getIndex()},
                          {"from", begin},
                          {"to", std::max(begin, lastUse(value))},
                          {"bytes", bytes(own)}};
    writeOrigins(added, equations.of(value.getLoc()));
    values.push_back(std::move(added));
  }

  /// Coefficients as an object: {"1": 64, "n": 1536, "n*m": 4}, without zeros.
  ordered_json bytes(ArrayRef<int64_t> coefficients) {
    SmallVector<std::string> names = {"1"};
    SmallVector<StringAttr> lengths = entry.getLengths();
    for (StringAttr length : lengths)
      names.push_back(length.str());
    for (const auto &product : sizes.products()) {
      std::string name;
      for (unsigned length : product)
        name += (name.empty() ? "" : "*") + lengths[length].str();
      names.push_back(name);
    }
    ordered_json all = ordered_json::object();
    for (auto [name, count] : llvm::zip(names, coefficients))
      if (count)
        all[name] = count;
    return all;
  }

  xf::EntryOp entry;
  const SpecEquations &equations;
  host::LengthProducts sizes;
  DenseMap<Operation *, unsigned> time, loopEnd;
  ordered_json steps = ordered_json::array(), values = ordered_json::array();
};

} // namespace

ordered_json report::memoryOf(ModuleOp module, const SpecEquations &equations) {
  ordered_json all = ordered_json::array();
  for (auto entry : module.getOps<xf::EntryOp>())
    if (entry.getSlots())
      all.push_back(EntryMemory(entry, equations).json());
  return all;
}
