// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Import.h"

#include "compiler/import/ModuleSink.h"
#include "compiler/spec/Model.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::importer;

/// Whether a task generates tokens from the results of the entry.
static bool generates(const spec::Model &model, const spec::EntryInfo &entry) {
  return llvm::any_of(model.tasks(), [&](const spec::TaskInfo &task) {
    return task.makesTokens() && task.entries.back() == entry.name;
  });
}

/// The names of an argument or a result, in the equations and for callers.
template <typename Info>
static SmallVector<NamedAttribute> namesOf(Builder &builder, const Info &info) {
  return {builder.getNamedAttr("xf.name", builder.getStringAttr(info.name)),
          builder.getNamedAttr("xf.external",
                               builder.getStringAttr(info.external))};
}

static DictionaryAttr
attributesOf(Builder &builder, const spec::ArgumentInfo &info, bool isCausal) {
  SmallVector<NamedAttribute> attributes = namesOf(builder, info);
  if (info.bound)
    attributes.push_back(builder.getNamedAttr(
        "xf.bound", builder.getI64IntegerAttr(info.bound)));
  if (info.defaultValue)
    attributes.push_back(builder.getNamedAttr(
        "xf.default", builder.getI64IntegerAttr(*info.defaultValue)));
  if (isCausal)
    attributes.push_back(
        builder.getNamedAttr("xf.causal", builder.getUnitAttr()));
  return builder.getDictionaryAttr(attributes);
}

static DictionaryAttr
attributesOf(Builder &builder, const spec::ResultInfo &info, bool isOnRequest) {
  SmallVector<NamedAttribute> attributes = namesOf(builder, info);
  if (isOnRequest)
    attributes.push_back(
        builder.getNamedAttr("xf.on_request", builder.getUnitAttr()));
  return builder.getDictionaryAttr(attributes);
}

static DictionaryAttr
attributesOf(Builder &builder, const std::map<std::string, int64_t> &numbers) {
  SmallVector<NamedAttribute> attributes;
  for (const auto &[length, number] : numbers)
    attributes.push_back(
        builder.getNamedAttr(length, builder.getI64IntegerAttr(number)));
  return builder.getDictionaryAttr(attributes);
}

static void importEntry(OpBuilder &builder, ModuleSink &sink,
                        spec::Model &model, size_t index) {
  MLIRContext *context = builder.getContext();
  // A copy, because elaboration updates the entry's limits.
  const spec::EntryInfo info = model.entries()[index];
  SmallVector<Type> inputs, results;
  SmallVector<Attribute> inputAttributes, resultAttributes;
  for (const spec::ArgumentInfo &argument : info.arguments) {
    auto shape = ModuleSink::shape(context, argument.shape, argument.place);
    inputs.push_back(argument.integer
                         ? Type(xf::IntegralType::get(context, shape))
                         : Type(xf::RealType::get(context, shape)));
    inputAttributes.push_back(attributesOf(
        builder, argument, argument.integer && generates(model, info)));
  }
  for (const spec::ResultInfo &result : info.results) {
    results.push_back(xf::RealType::get(
        context, ModuleSink::shape(context, result.shape, result.place)));
    // Tokens are chosen from the first result; others are made on request.
    bool isOnRequest = generates(model, info) && !resultAttributes.empty();
    resultAttributes.push_back(attributesOf(builder, result, isOnRequest));
  }
  auto entry = xf::EntryOp::create(builder, builder.getUnknownLoc(), info.name,
                                   builder.getFunctionType(inputs, results));
  entry.setArgAttrsAttr(builder.getArrayAttr(inputAttributes));
  entry.setResAttrsAttr(builder.getArrayAttr(resultAttributes));
  Block *body = builder.createBlock(&entry.getBody());
  for (Type input : inputs)
    body->addArgument(input, entry.getLoc());

  sink.begin(body);
  SmallVector<Value> returned;
  for (spec::Handle handle : model.elaborate(info.name, sink))
    returned.push_back(sink.value(handle));
  OpBuilder atEnd = OpBuilder::atBlockEnd(body);
  xf::ReturnOp::create(atEnd, entry.getLoc(), returned);

  LengthBounds bounds = sink.lengthBounds();
  for (const auto &[length, limit] : model.entries()[index].limits)
    bounds.atMost(length, limit);
  for (const auto &[length, number] : model.entries()[index].least)
    bounds.atLeast(length, number);
  if (!bounds.most.empty())
    entry.setLimitsAttr(attributesOf(builder, bounds.most));
  if (!bounds.least.empty())
    entry.setLeastAttr(attributesOf(builder, bounds.least));
  builder.setInsertionPointAfter(entry);
}

OwningOpRef<ModuleOp>
importer::importModel(MLIRContext &context, spec::Model &model,
                      std::vector<std::string> *warnings) {
  context.loadDialect<xf::XfDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&context), model.name());
  ModuleSink sink(*module);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (size_t index = 0; index < model.entries().size(); ++index)
    importEntry(builder, sink, model, index);
  if (warnings)
    *warnings = sink.takeWarnings();
  return module;
}
