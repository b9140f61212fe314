// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts operations as polynomials in the lengths, and the bytes of the
// weights. Kernels whose work depends on values, such as experts, are left out.

#include "compiler/host/metadata/Work.h"
#include "dialect/weights/StoredValues.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/MapVector.h>

#include <map>

using namespace mlir;
using namespace transfold;

namespace {

/// Polynomials: products of lengths, mapped to the number of operations for
/// each.
using Terms = std::map<std::vector<std::string>, double>;

/// The work of all launches of one kernel.
struct Work {
  int64_t launches = 0;
  uint64_t weightBytes = 0;
  Terms operations;
  bool isKnown = true;
};

/// Whether an operation reads all of a value, or of a view of it; of a table
/// only some rows are gathered, or the first ones sliced.
bool isReadWhole(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    if (auto view = dyn_cast<xf::RearrangeOp>(use.getOwner()))
      return isReadWhole(view.getResult());
    if (auto slice = dyn_cast<xf::SliceOp>(use.getOwner()))
      return llvm::all_of(xf::getShape(slice.getType()), [](Attribute axis) {
        return xf::getNumber(axis).has_value();
      });
    return !isa<xf::GatherOp>(use.getOwner()) || use.getOperandNumber() != 0;
  });
}

/// Maps the lengths of a kernel to those of a launch.
DenseMap<Attribute, Attribute> namesAt(xf::LaunchOp launch,
                                       xf::KernelOp kernel) {
  DenseMap<Attribute, Attribute> names;
  for (auto [argument, operand] :
       llvm::zip(kernel.getArguments(), launch.getOperands())) {
    auto inside = xf::getShape(argument.getType());
    auto outside = xf::getShape(operand.getType());
    // Stored weights may have another layout than they are declared with.
    if (inside.size() == outside.size())
      for (auto [axis, name] : llvm::zip(inside, outside))
        names[axis] = name;
  }
  return names;
}

/// The axes that the loops of a contraction run over.
SmallVector<Attribute> loopsOf(xf::ContractOp product) {
  llvm::MapVector<Attribute, Attribute> loops; // by label
  for (auto [operand, labels] :
       {std::pair(product.getLhs(), product.getLhsLabels()),
        std::pair(product.getRhs(), product.getRhsLabels())})
    for (auto [label, axis] :
         llvm::zip(labels, xf::getShape(operand.getType())))
      loops[label] = axis;
  SmallVector<Attribute> axes;
  for (auto [label, axis] : loops)
    axes.push_back(axis);
  return axes;
}

/// Adds two operations for each product that a launch computes.
class Products {
public:
  Products(xf::LaunchOp launch, xf::KernelOp kernel, Work &work)
      : launch(launch), kernel(kernel), names(namesAt(launch, kernel)),
        work(work) {}

  void add() {
    kernel.walk([&](xf::ContractOp product) { add(product); });
  }

private:
  void add(xf::ContractOp product) {
    double operations = 2.0 * static_cast<double>(host::countOf(launch));
    std::vector<std::string> lengths;
    if (auto scan = dyn_cast<xf::ScanOp>(launch->getParentOp()))
      lengths.push_back(xf::printAxis(scan.getPositions()));
    if (auto scan = dyn_cast<xf::ScanOp>(product->getParentOp()))
      lengths.push_back(xf::printAxis(names.lookup(scan.getPositions())));
    for (Attribute axis : loopsOf(product)) {
      if (auto number = xf::getNumber(axis))
        operations *= static_cast<double>(*number);
      else if (Attribute name = names.lookup(axis))
        // Lengths in the names of the entry, which the runtime knows.
        lengths.push_back(xf::printAxis(name));
      else
        work.isKnown = false;
    }
    llvm::sort(lengths);
    work.operations[lengths] += operations;
    if (lengths.size() == 2)
      leaveOutHidden(operations);
  }

  /// A query attends to the keys up to its own position: of n queries the last
  /// one reads all keys, the previous one fewer by one, and so on. Kernels
  /// compute only those.
  void leaveOutHidden(double operations) {
    // The count with a window is not a polynomial of the lengths.
    if (kernel.getScheduleEntry(xf::ScheduleParameter::KeysFrom))
      work.isKnown = false;
    if (!kernel.getScheduleEntry(xf::ScheduleParameter::KeysTo))
      return;
    for (Attribute axis : xf::getShape(launch.getResult().getType()))
      if (!xf::getNumber(axis)) {
        std::string queries = xf::printAxis(axis);
        work.operations[{queries, queries}] -= operations / 2;
        return;
      }
  }

  xf::LaunchOp launch;
  xf::KernelOp kernel;
  DenseMap<Attribute, Attribute> names;
  Work &work;
};

} // namespace

int64_t host::countOf(Operation *op) {
  int64_t count = 1;
  for (op = op->getParentOp(); !isa<xf::EntryOp>(op); op = op->getParentOp())
    if (auto layers = dyn_cast<xf::LayersOp>(op))
      count *= layers.getCount();
  return count;
}

uint64_t host::bytesRead(OpOperand &use) {
  auto launch = dyn_cast<xf::LaunchOp>(use.getOwner());
  auto weight = use.get().getDefiningOp<xf::WeightOp>();
  if (!launch || !weight ||
      !isReadWhole(launch.lookUpKernel().getArgument(use.getOperandNumber())))
    return 0;
  xf::StoredOp stored = xf::storedOf(weight);
  uint64_t each = stored.getPlace() ? stored.getPlace()->getStride() : 0;
  return each * static_cast<uint64_t>(countOf(weight));
}

const char *host::productsOf(xf::KernelOp kernel) {
  const char *kind = "f32";
  kernel.walk([&](xf::ContractOp product) {
    for (Value operand : {product.getLhs(), product.getRhs()}) {
      if (operand.getDefiningOp<xf::QuantizeOp>())
        kind = "int8";
      if (xf::formatOf(kernel, operand) == xf::Format::BF16)
        kind = "bf16";
    }
  });
  return kind;
}

std::vector<runtime::records::Work> host::describeWork(xf::EntryOp entry) {
  llvm::MapVector<StringAttr, Work> byKernel;
  entry.walk([&](xf::LaunchOp launch) {
    Work &work = byKernel[launch.getKernelAttr().getAttr()];
    work.launches += countOf(launch);
    for (OpOperand &operand : launch->getOpOperands())
      work.weightBytes += bytesRead(operand);
    // The rows that experts are chosen for are only counted at run time.
    work.isKnown &= !launch.getRanks();
    Products(launch, launch.lookUpKernel(), work).add();
  });
  std::vector<runtime::records::Work> described;
  for (auto &[name, work] : byKernel) {
    if (!work.isKnown || (work.operations.empty() && !work.weightBytes))
      continue;
    auto &own = described.emplace_back();
    own.kernel = name.str();
    own.launches = work.launches;
    own.weightBytes = work.weightBytes;
    for (auto &[lengths, operations] : work.operations)
      own.operations.emplace_back(operations, lengths);
  }
  return described;
}
