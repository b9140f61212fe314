// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-tap-layers: makes the values that layers yield results of their entries.
//
// Before:
//   %y = xf.layers %l < 2 (%x = %x0) : !xf.real<n, 64> { … }
//        {gauges = [[<"1/6">, <"1">]]}
//   xf.return %logits
// After:
//   %y0 = xf.layers %l < 1 (%x = %x0) : !xf.real<n, 64> { … }
//   %t0 = xf.scale %y0 by <"6"> "gauge of layer 0"
//   %y1 = xf.layers 1 <= %l < 2 (%x = %y0) : !xf.real<n, 64> { … }
//   xf.return %logits, %t0, %y1
//
// Exact: the layers are the same, in one loop after the other, and a value that
// folding stores with a gauge is divided by it. Runs after folding, since
// results must have the gauge 1: before it, a tap would change the program that
// it observes.

#include "compiler/fold/Passes.h"

#include <mlir/IR/IRMapping.h>
#include <mlir/Interfaces/FunctionImplementation.h>

namespace transfold::fold {
#define GEN_PASS_DEF_TAPLAYERS
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

/// Taps the layers of one entry, counted through all its loops.
class Taps {
public:
  explicit Taps(xf::EntryOp entry) : entry(entry) {}

  /// Adds the taps; returns how many values were tapped.
  unsigned add() {
    Block &body = entry.getBody().front();
    for (auto loop : llvm::make_early_inc_range(body.getOps<xf::LayersOp>()))
      cut(loop);
    // Appended after the other results: the tasks read the first one.
    unsigned own = entry.getNumResults();
    SmallVector<unsigned> places(values.size(), own);
    (void)entry.insertResults(places, ValueRange(values).getTypes(), names);
    body.getTerminator()->insertOperands(own, values);
    return values.size();
  }

private:
  /// Replaces a loop by one loop per layer and taps what each yields.
  void cut(xf::LayersOp loop) {
    OpBuilder builder(loop);
    SmallVector<Value> carried(loop.getInits());
    for (uint64_t at = 0; at < loop.getCount(); ++at) {
      auto one = cast<xf::LayersOp>(builder.clone(*loop));
      one.setBegin(loop.getBegin() + at);
      one.setEnd(loop.getBegin() + at + 1);
      one.removeGaugesAttr();
      one->setOperands(carried);
      carried.assign(one.result_begin(), one.result_end());
      tap(loop, at, carried, builder);
      ++layers;
    }
    loop->replaceAllUsesWith(carried);
    loop.erase();
  }

  /// Adds the real values that layer `at` yields as results, divided by their
  /// gauges.
  void tap(xf::LayersOp loop, uint64_t at, ArrayRef<Value> carried,
           OpBuilder &builder) {
    std::string layer = "layer" + std::to_string(layers);
    for (auto [number, value] : llvm::enumerate(carried)) {
      if (!isa<xf::RealType>(value.getType()))
        continue;
      Value given = value;
      if (auto gauges = loop.getGauges()) {
        auto list = cast<ArrayAttr>((*gauges)[number]);
        ExactScalar gauge = cast<xf::ExactAttr>(list[at]).getValue();
        if (!gauge.isOne())
          given = xf::ScaleOp::create(
              builder, loop.getLoc(), value,
              xf::ExactAttr::get(loop.getContext(), ExactScalar() / gauge),
              "gauge of " + layer);
      }
      std::string name = entry.getSymName().str() + "." + layer +
                         (number ? "." + std::to_string(number) : "");
      StringAttr text = builder.getStringAttr(name);
      values.push_back(given);
      names.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("xf.name", text),
           builder.getNamedAttr("xf.external", text)}));
    }
  }

  xf::EntryOp entry;
  unsigned layers = 0;
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> names;
};

struct TapLayers : fold::impl::TapLayersBase<TapLayers> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      tapped += Taps(entry).add();
  }
};

} // namespace
