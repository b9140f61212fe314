// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-place-weights: assigns weights their packing and their place in the
// program's file.
//
// Before:
//   xf.stored @W[l = 6] : !xf.real<384, 1536> from … as …
//   %w = xf.weight @W[%l];  xf.launch @contract(%x, %w)   // reads panels of 32
// After:
//   xf.stored @W.panels[l = 6] : … at <storage = <f32, <32>>, offset = 0,
//                                      stride = 2359296>
//   %w = xf.weight @W.panels[%l]
//
// A weight that is read in two storages is stored twice. Exact: only the layout
// changes.

#include "compiler/weights/Passes.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringSet.h>

namespace transfold::weights {
#define GEN_PASS_DEF_PLACEWEIGHTS
#include "compiler/weights/Passes.h.inc"
} // namespace transfold::weights

using namespace mlir;
using namespace transfold;

namespace {

/// Kernels state in which storage they read each operand; weights are stored in
/// these.
struct PlaceWeights : weights::impl::PlaceWeightsBase<PlaceWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    packedForms.clear();
    storages.clear();
    SmallVector<xf::WeightOp> reads;
    for (auto entry : module.getOps<xf::EntryOp>())
      entry.walk([&](xf::WeightOp op) { reads.push_back(op); });
    for (xf::WeightOp read : reads)
      if (failed(chooseStorage(read)))
        return signalPassFailure();

    xf::eraseUnusedWeights(module);
    llvm::StringSet<> used;
    for (auto entry : module.getOps<xf::EntryOp>())
      entry.walk([&](xf::WeightOp op) { used.insert(op.getStored()); });
    int64_t offset = 0;
    for (auto stored : module.getOps<xf::StoredOp>()) {
      // Only other weights are computed from it.
      if (!used.contains(stored.getSymName()))
        continue;
      xf::StorageAttr storage = storageOf(stored);
      ArrayRef<Attribute> shape = xf::getShape(stored.getType());
      int64_t places = llvm::product_of(storage.getExtents(shape), int64_t{1});
      if (places > INT32_MAX) {
        stored.emitOpError() << "has " << places << " elements in one tensor; "
                             << "kernels count up to " << INT32_MAX;
        return signalPassFailure();
      }
      int64_t stride = llvm::alignTo(storage.getBytes(shape), 64);
      stored.setPlaceAttr(
          xf::PlaceAttr::get(&getContext(), storage, offset, stride));
      offset += stride * stored.getMembers();
    }
    bytes += offset;
  }

  /// The storage of weights that are read without packing.
  xf::StorageAttr rowsOfFloats() {
    return xf::StorageAttr::get(&getContext(), xf::Format::F32, {});
  }

  /// The storage that was chosen for a weight; float32 rows by default.
  xf::StorageAttr storageOf(xf::StoredOp stored) {
    auto known = storages.find(stored);
    return known == storages.end() ? rowsOfFloats() : known->second;
  }

  /// Creates one xf.weight for each storage in which launches read the weight.
  LogicalResult chooseStorage(xf::WeightOp read) {
    llvm::MapVector<xf::StorageAttr, SmallVector<OpOperand *>> forms;
    for (OpOperand &use : read.getResult().getUses()) {
      auto launch = dyn_cast<xf::LaunchOp>(use.getOwner());
      if (!launch)
        return use.getOwner()->emitOpError(
            "reads a weight outside a kernel; form kernels first");
      auto kernel = launch.lookUpKernel();
      forms[kernel.getStorage(use.getOperandNumber())].push_back(&use);
    }
    xf::StoredOp stored = xf::storedOf(read);
    for (auto &[storage, uses] : forms) {
      if (storage == rowsOfFloats())
        continue;
      xf::StoredOp packed = packedForm(stored, storage);
      OpBuilder builder(read);
      auto other = xf::WeightOp::create(builder, read.getLoc(),
                                        read.getResult().getType(),
                                        packed.getSymName(), read.getIndices());
      for (OpOperand *use : uses)
        use->set(other);
    }
    if (read->use_empty())
      read.erase();
    return success();
  }

  /// A copy of `stored` that has this storage, the same for all readers.
  xf::StoredOp packedForm(xf::StoredOp stored, xf::StorageAttr storage) {
    xf::StoredOp &packed = packedForms[{stored, storage}];
    if (packed)
      return packed;
    std::string base =
        (stored.getSymName() + "." +
         (storage.getPanels() ? "panels"
                              : xf::stringifyFormat(storage.getFormat())))
            .str();
    std::string name = base;
    for (int number = 2; getOperation().lookupSymbol(name); ++number)
      name = base + std::to_string(number);
    OpBuilder builder(stored->getContext());
    builder.setInsertionPointAfter(stored);
    packed = cast<xf::StoredOp>(builder.clone(*stored));
    packed.setSymName(name);
    storages[packed] = storage;
    return packed;
  }

  llvm::DenseMap<std::pair<Operation *, Attribute>, xf::StoredOp> packedForms;
  llvm::DenseMap<Operation *, xf::StorageAttr> storages;
};

} // namespace
