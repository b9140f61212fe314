// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table that is also the output head is stored once.
//
//   x = E[tokens]          rows of E<v, d> are gathered
//   y = h E'               the head: columns of E' are the rows of E
//
// Before:
//   xf.stored @E : <v, d> from "e" …            // rows
//   xf.stored @E.T : <d, v> from "e" …          // the same tensor, transposed
//   xf.kernel @gather(%E: <v, d>, %i) { xf.gather %E[%i] }
//   xf.kernel @head(%h, %W: <d, v> {xf.storage = #xf.storage<f32, <32>>}) { … }
// After:
//   xf.kernel @gather(%W: <d, v> {xf.storage = #xf.storage<f32, <32>>}, %i) {
//     %E = xf.rearrange %W[a, b] -> [b, a]
//     xf.gather %E[%i]
//   }
//
// and launches of @gather pass @E.T. A table in blocks is read in this way even
// if it is not a head: kernels read blocks from panels only. This is exact: the
// same values are read. A row of the table is now a column of a panel, and each
// of its values is in another cache line: d lines a token, where the head reads
// v · d values.

#include "compiler/kernels/schedule/choose/StoredOperands.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/MapVector.h>

using namespace mlir;
using namespace transfold;

namespace {

/// Whether `a` is the transpose of `b`, with the same values.
bool areTransposed(xf::StoredOp a, xf::StoredOp b) {
  xf::LayoutAttr x = a.getLayout(), y = b.getLayout();
  return a.getSource() && a.getSource() == b.getSource() &&
         a.getTimes() == b.getTimes() && a.getIndices() == b.getIndices() &&
         a.getExtents() == b.getExtents() && x.getRank() == 2 &&
         y.getRank() == 2 && x.getOffset() == y.getOffset() &&
         x.getFactorCounts() == ArrayRef<int64_t>{1, 1} &&
         y.getFactorCounts() == ArrayRef<int64_t>{1, 1} &&
         x.getSizes() == ArrayRef<int64_t>{y.getSizes()[1], y.getSizes()[0]} &&
         x.getStrides() ==
             ArrayRef<int64_t>{y.getStrides()[1], y.getStrides()[0]};
}

/// The transpose of a matrix in blocks along its rows, which can be stored in
/// panels; null if that is not possible, or `table` is not such a matrix.
xf::StoredOp transposedBlocks(xf::StoredOp table) {
  auto format = table ? table.getExactFormat() : std::nullopt;
  if (!format || !xf::isInBlocks(*format) || table.getLayout().getRank() != 2)
    return {};
  xf::LayoutAttr layout = table.getLayout();
  const size_t rowFactors = layout.getFactorCounts()[0];
  auto swapped = [&](ArrayRef<int64_t> factors) {
    auto both = llvm::to_vector(factors.drop_front(rowFactors));
    llvm::append_range(both, factors.take_front(rowFactors));
    return both;
  };
  ArrayRef<Attribute> shape = xf::getShape(table.getType());
  Builder builder(table.getContext());
  xf::StoredOp transposed = table.clone();
  transposed.setSymName((table.getSymName() + ".T").str());
  transposed.setLayoutAttr(xf::LayoutAttr::get(
      builder.getContext(), layout.getOffset(),
      {layout.getFactorCounts()[1], layout.getFactorCounts()[0]},
      swapped(layout.getSizes()), swapped(layout.getStrides())));
  transposed.setType(
      xf::RealType::get(builder.getContext(), {shape[1], shape[0]}));
  if (!xf::hasWholeBlocks(transposed)) {
    transposed.erase();
    return {};
  }
  // The insertion renames the weight if another one has the name already.
  SymbolTable(table->getParentOp()).insert(transposed, table->getIterator());
  return transposed;
}

/// The storage of a matrix in blocks: panels as all kernels read them.
xf::StorageAttr panelsOf(xf::StoredOp blocks) {
  return xf::StorageAttr::get(
      blocks.getContext(), *blocks.getExactFormat(),
      xf::PanelsAttr::get(blocks.getContext(), kernels::panelWidth, 1));
}

/// A weight that kernels read with one storage only.
struct Packed {
  xf::StoredOp stored;
  xf::StorageAttr storage;
};

/// The weights that are read in panels and in no other way.
SmallVector<Packed> packedWeights(ModuleOp module) {
  llvm::MapVector<Operation *, xf::StorageAttr> storages;
  module.walk([&](xf::LaunchOp launch) {
    auto kernel = launch.lookUpKernel();
    for (auto [number, operand] : llvm::enumerate(launch.getOperands()))
      if (xf::StoredOp stored = xf::storedOf(operand)) {
        xf::StorageAttr own = kernel.getStorage(number);
        auto [known, isNew] = storages.insert({stored, own});
        if (!isNew && known->second != own)
          known->second = {};
      }
  });
  SmallVector<Packed> packed;
  for (auto [stored, storage] : storages)
    if (storage && storage.getPanels())
      packed.push_back({cast<xf::StoredOp>(stored), storage});
  return packed;
}

/// Whether an argument is used only as a table from which rows are gathered.
bool isTable(BlockArgument argument) {
  return !argument.use_empty() &&
         llvm::all_of(argument.getUses(), [](OpOperand &use) {
           auto gather = dyn_cast<xf::GatherOp>(use.getOwner());
           return gather && &gather.getTableMutable() == &use;
         });
}

/// Makes the kernel read a table from the panels of its transpose.
void readFromPanels(xf::KernelOp kernel, ArrayRef<xf::LaunchOp> launches,
                    BlockArgument table, Packed head) {
  unsigned number = table.getArgNumber();
  MLIRContext *context = kernel.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(table.getOwner());
  auto rows = cast<xf::RealType>(table.getType());
  auto columns = cast<xf::RealType>(head.stored.getType());
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs[number] = columns;
  kernel.setFunctionType(
      FunctionType::get(context, inputs, kernel.getResultTypes()));
  kernel.setArgAttr(number, "xf.storage", head.storage);
  table.setType(columns);
  auto group = [&](StringRef label) {
    return Attribute(builder.getStrArrayAttr(label));
  };
  auto transposed =
      xf::RearrangeOp::create(builder, kernel.getLoc(), rows, table,
                              builder.getArrayAttr({group("a"), group("b")}),
                              builder.getArrayAttr({group("b"), group("a")}));
  table.replaceAllUsesExcept(transposed, transposed);
  for (xf::LaunchOp launch : launches) {
    OpBuilder before(launch);
    auto read = launch.getOperands()[number].getDefiningOp<xf::WeightOp>();
    launch.setOperand(number, xf::WeightOp::create(
                                  before, read.getLoc(), columns,
                                  head.stored.getSymName(), read.getIndices()));
    if (read->use_empty())
      read.erase();
  }
}

} // namespace

unsigned kernels::shareTables(ModuleOp module) {
  SmallVector<Packed> heads = packedWeights(module);
  unsigned shared = 0;
  for (auto kernel : module.getOps<xf::KernelOp>()) {
    auto launches = launchesOf(kernel);
    if (!launches || launches->empty() || kernel.getTarget())
      continue;
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      if (!isTable(argument))
        continue;
      auto *head = llvm::find_if(heads, [&](const Packed &head) {
        return llvm::all_of(*launches, [&](xf::LaunchOp launch) {
          xf::StoredOp table =
              xf::storedOf(launch.getOperands()[argument.getArgNumber()]);
          return table && areTransposed(table, head.stored);
        });
      });
      if (head != heads.end()) {
        readFromPanels(kernel, *launches, argument, *head);
        ++shared;
        continue;
      }
      xf::StoredOp table = xf::storedOf(
          launches->front().getOperands()[argument.getArgNumber()]);
      bool isCommon = llvm::all_of(*launches, [&](xf::LaunchOp launch) {
        return xf::storedOf(launch.getOperands()[argument.getArgNumber()]) ==
               table;
      });
      if (xf::StoredOp own =
              isCommon ? transposedBlocks(table) : xf::StoredOp()) {
        heads.push_back({own, panelsOf(own)});
        readFromPanels(kernel, *launches, argument, heads.back());
      }
    }
  }
  return shared;
}
