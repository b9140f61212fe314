// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the entry @….begin, which computes the values of a request once.
//
// Before, in @decode, with an argument %memory that has no rows of the
// sequence:
//   xf.layers %l < 2 (…) { %K = xf.contract %memory, %W[%l]; … reads %K … }
// After, in @decode.begin:
//   xf.layers %l < 2 () {
//     %K = xf.contract %memory, %W[%l]
//     xf.cache_write %K in @decode.0[%l]
//   }
// and @decode.step recalls it. Exact: the operations are those of @decode, on
// the same values; only the time at which they run differs.

#include "compiler/stage/StagedEntry.h"

#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::stage;

xf::EntryOp stage::makeEntry(xf::EntryOp from, xf::Stage stage,
                             const Signature &arguments,
                             const Signature &results) {
  OpBuilder builder(from);
  builder.setInsertionPointAfter(from);
  auto entry = xf::EntryOp::create(
      builder, from.getLoc(),
      (from.getSymName() + "." + xf::stringifyStage(stage)).str(),
      builder.getFunctionType(arguments.types, results.types));
  entry.setStage(stage);
  entry.setStageOf(from.getSymName());
  entry.setAllArgAttrs(arguments.attributes);
  if (!results.types.empty())
    entry.setAllResultAttrs(results.attributes);
  Block *body = builder.createBlock(&entry.getBody());
  for (Type type : arguments.types)
    body->addArgument(type, from.getLoc());
  return entry;
}

xf::LayersOp stage::makeLoop(OpBuilder &builder, xf::LayersOp layers,
                             ValueRange inits) {
  auto loop =
      xf::LayersOp::create(builder, layers.getLoc(), inits.getTypes(),
                           static_cast<int64_t>(layers.getCount()), inits);
  loop.setBegin(layers.getBegin());
  loop.setEnd(layers.getEnd());
  return loop;
}

void stage::buildBegin(xf::EntryOp whole, const llvm::SetVector<Value> &values,
                       const BindingTimes &moments, Caches &caches) {
  OpBuilder builder(whole.getContext());
  Signature arguments;
  SmallVector<BlockArgument> given;
  for (BlockArgument argument : whole.getBody().getArguments())
    if (moments[argument] == BindingTime::Request) {
      given.push_back(argument);
      arguments.add(argument.getType(),
                    whole.getArgAttrDict(argument.getArgNumber()));
    }
  xf::EntryOp begin = makeEntry(whole, xf::Stage::Begin, arguments, {});
  if (DictionaryAttr limits = whole.getLimitsAttr())
    begin.setLimitsAttr(limits);
  if (DictionaryAttr least = whole.getLeastAttr())
    begin.setLeastAttr(least);
  IRMapping mapping;
  for (auto [old, made] : llvm::zip(given, begin.getArguments()))
    mapping.map(old, made);
  builder.setInsertionPointToStart(&begin.getBody().front());

  std::function<void(Block &)> build = [&](Block &block) {
    auto keep = [&](Value value) {
      if (!values.contains(value))
        return;
      SmallVector<Value> indices;
      for (xf::LayersOp loop : loopsAround(value))
        indices.push_back(mapping.lookup(loop.getLayer()));
      xf::CacheWriteOp::create(builder, value.getLoc(), mapping.lookup(value),
                               caches[value].getSymName(), indices, Value());
    };
    // An argument may be read by steps directly; the layer of a loop is not
    // among `values`.
    for (BlockArgument argument : block.getArguments())
      keep(argument);
    for (Operation &op : block.without_terminator()) {
      auto layers = dyn_cast<xf::LayersOp>(op);
      if (layers && moments.of(&op) == BindingTime::Step) {
        // The loop computes only the values of the request; it carries nothing.
        xf::LayersOp copied = makeLoop(builder, layers, {});
        OpBuilder::InsertionGuard guard(builder);
        Block *body = builder.createBlock(&copied.getBody());
        mapping.map(layers.getLayer(),
                    body->addArgument(builder.getIndexType(), op.getLoc()));
        build(layers.getBody().front());
        xf::YieldOp::create(builder, op.getLoc(), ValueRange());
      } else if (moments.of(&op) != BindingTime::Step) {
        builder.clone(op, mapping);
        for (Value result : op.getResults())
          keep(result);
      }
    }
  };
  build(whole.getBody().front());
  xf::ReturnOp::create(builder, whole.getLoc(), ValueRange());
  // All operations without rows of the sequence were cloned; those that no
  // cache needs are removed.
  IRRewriter rewriter(builder);
  (void)runRegionDCE(rewriter, begin->getRegions());
}
