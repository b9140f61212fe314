// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a module of all entries of a model. The equations of each entry are
// translated by a StepImporter; this file adds signatures with their
// attributes, and the bounds of lengths.

#include "compiler/import/Import.h"

#include "compiler/import/StepImporter.h"
#include "compiler/spec/Model.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>

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

/// The attributes of an argument: names, default, the bound of its integers,
/// and whether it has the tokens that a task extends (`isCausal`).
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

/// Throws SpecError unless the lengths of an argument that follow from others
/// do so from those of arguments.
static void needLengths(const spec::EntryInfo &info,
                        const spec::ArgumentInfo &argument) {
  auto isGiven = [&](const std::string &length) {
    return llvm::any_of(info.arguments, [&](const spec::ArgumentInfo &other) {
      return llvm::is_contained(other.shape, Dim::atom(length));
    });
  };
  for (const Dim &size : argument.shape)
    for (const std::string &length : size.names())
      if (!isGiven(length))
        throw spec::SpecError(
            spec::Code::UnderivedLength, argument.place,
            fmt::format("the length {} cannot be derived from the arguments of "
                        "{}",
                        length, info.name),
            {fmt::format("An argument with the axis {} would determine it.",
                         length)});
}

/// Adds entry `index` of the model at the insertion point of `builder`. The
/// bounds of lengths come from two analyses: of slices and positions by the
/// elaborator, and of index functions here.
static void importEntry(OpBuilder &builder, StepImporter &importer,
                        const spec::Model &model, size_t index) {
  MLIRContext *context = builder.getContext();
  const spec::EntryInfo &info = model.entries()[index];
  SmallVector<Type> inputs, results;
  SmallVector<Attribute> inputAttributes, resultAttributes;
  for (const spec::ArgumentInfo &argument : info.arguments) {
    needLengths(info, argument);
    auto shape = StepImporter::shape(context, argument.shape, argument.place);
    inputs.push_back(argument.integer
                         ? Type(xf::IntegralType::get(context, shape))
                         : Type(xf::RealType::get(context, shape)));
    inputAttributes.push_back(attributesOf(
        builder, argument, argument.integer && generates(model, info)));
  }
  for (const spec::ResultInfo &result : info.results) {
    results.push_back(xf::RealType::get(
        context, StepImporter::shape(context, result.shape, result.place)));
    // Tokens are chosen from the first result; others are made on request.
    bool isOnRequest = generates(model, info) && !resultAttributes.empty();
    resultAttributes.push_back(attributesOf(builder, result, isOnRequest));
  }
  auto entry =
      xf::EntryOp::create(builder, StepImporter::location(context, info.place),
                          info.name, builder.getFunctionType(inputs, results));
  entry.setArgAttrsAttr(builder.getArrayAttr(inputAttributes));
  entry.setResAttrsAttr(builder.getArrayAttr(resultAttributes));
  Block *body = builder.createBlock(&entry.getBody());
  for (Type input : inputs)
    body->addArgument(input, entry.getLoc());

  SmallVector<Value> returned =
      importer.importEquations(model.equations()[index], body);
  OpBuilder atEnd = OpBuilder::atBlockEnd(body);
  xf::ReturnOp::create(atEnd, entry.getLoc(), returned);

  LengthBounds bounds = importer.lengthBounds();
  for (const auto &[length, limit] : info.limits)
    bounds.atMost(length, limit);
  for (const auto &[length, number] : info.least)
    bounds.atLeast(length, number);
  if (!bounds.most.empty())
    entry.setLimitsAttr(attributesOf(builder, bounds.most));
  if (!bounds.least.empty())
    entry.setLeastAttr(attributesOf(builder, bounds.least));
  builder.setInsertionPointAfter(entry);
}

OwningOpRef<ModuleOp>
importer::importModel(MLIRContext &context, const spec::Model &model,
                      std::vector<spec::Diagnostic> *warnings) {
  context.loadDialect<xf::XfDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&context), model.name());
  StepImporter importer(*module);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (size_t index = 0; index < model.entries().size(); ++index)
    importEntry(builder, importer, model, index);
  if (warnings)
    *warnings = importer.takeWarnings();
  return module;
}
