// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights get their packing and their place in the program's file.
//
// Before:
//   xf.stored @W[l = 6] : !xf.real<384, 1536> from … as …
//   %w = xf.weight @W[%l];  xf.launch @contract(%x, %w)   // reads panels of 32
// After:
//   xf.stored @W.panels[l = 6] : … {offset = 0, packing = #xf.panels<32>,
//                                   stride = 2359296}
//   %w = xf.weight @W.panels[%l]
//
// A weight that is read in two forms (a table that is gathered from and also
// multiplied with) is stored twice. Exact: only places change.

#include "compiler/weights/Packed.h"
#include "compiler/weights/Passes.h"
#include "dialect/Weights.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringSet.h>

#include <map>

namespace transfold::weights {
#define GEN_PASS_DEF_PLACEWEIGHTS
#include "compiler/weights/Passes.h.inc"
} // namespace transfold::weights

using namespace mlir;
using namespace transfold;

namespace {

/// How a kernel reads a weight; null for rows of float32.
using Form = std::pair<xf::PanelsAttr, StringAttr>;

struct PlaceWeights : weights::impl::PlaceWeightsBase<PlaceWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    packedForms.clear();
    SmallVector<xf::WeightOp> reads;
    for (auto entry : module.getOps<xf::EntryOp>())
      entry.walk([&](xf::WeightOp op) { reads.push_back(op); });
    for (xf::WeightOp read : reads)
      if (failed(choosePacking(read)))
        return signalPassFailure();

    xf::eraseUnusedWeights(module);
    llvm::StringSet<> used;
    for (auto entry : module.getOps<xf::EntryOp>())
      entry.walk([&](xf::WeightOp op) { used.insert(op.getStored()); });
    int64_t offset = 0;
    Builder builder(&getContext());
    for (auto stored : module.getOps<xf::StoredOp>()) {
      // Others are computed from it.
      if (!used.contains(stored.getSymName()))
        continue;
      // Numbers of a pair have one place.
      auto packing = stored.getPacking();
      int64_t places = weights::packedNumbers(stored) /
                       (packing ? packing->getInterleaved() : 1);
      if (places > INT32_MAX) {
        stored.emitOpError() << "has " << places << " numbers in one tensor; "
                             << "kernels count up to " << INT32_MAX;
        return signalPassFailure();
      }
      int64_t stride = llvm::alignTo(weights::packedBytes(stored), 64);
      stored.setOffsetAttr(builder.getI64IntegerAttr(offset));
      stored.setStrideAttr(builder.getI64IntegerAttr(stride));
      offset += stride * weights::members(stored);
    }
    bytes += offset;
  }

  /// One xf.weight for each form in which launches read it.
  LogicalResult choosePacking(xf::WeightOp read) {
    llvm::MapVector<Form, SmallVector<OpOperand *>> forms;
    for (OpOperand &use : read.getResult().getUses()) {
      auto launch = dyn_cast<xf::LaunchOp>(use.getOwner());
      if (!launch)
        return use.getOwner()->emitOpError(
            "reads a weight outside a kernel; form kernels first");
      auto kernel = SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
          launch, launch.getKernelAttr());
      forms[{kernel.getArgAttrOfType<xf::PanelsAttr>(use.getOperandNumber(),
                                                     "xf.packing"),
             kernel.getArgAttrOfType<StringAttr>(use.getOperandNumber(),
                                                 "xf.storage")}]
          .push_back(&use);
    }
    auto stored = SymbolTable::lookupNearestSymbolFrom<xf::StoredOp>(
        read, read.getStoredAttr());
    for (auto &[form, uses] : forms) {
      if (form == Form())
        continue;
      xf::StoredOp packed = packedForm(stored, form);
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

  xf::StoredOp packedForm(xf::StoredOp stored, Form form) {
    auto [packing, storage] = form;
    xf::StoredOp &packed = packedForms[{
        stored, {packing.getAsOpaquePointer(), storage.getAsOpaquePointer()}}];
    if (packed)
      return packed;
    std::string base =
        (stored.getSymName() +
         (packing ? StringRef(".panels") : "." + storage.getValue()))
            .str();
    std::string name = base;
    for (int number = 2; getOperation().lookupSymbol(name); ++number)
      name = base + std::to_string(number);
    OpBuilder builder(stored->getContext());
    builder.setInsertionPointAfter(stored);
    packed = cast<xf::StoredOp>(builder.clone(*stored));
    packed.setSymName(name);
    packed.setPackingAttr(packing);
    packed.setStorageAttr(storage);
    return packed;
  }

  std::map<std::pair<Operation *, std::pair<const void *, const void *>>,
           xf::StoredOp>
      packedForms;
};

} // namespace
