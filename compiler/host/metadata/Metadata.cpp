// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/host/metadata/Metadata.h"

#include "compiler/host/metadata/Work.h"
#include "compiler/host/plan/LengthProducts.h"
#include "compiler/host/plan/MemorySpace.h"
#include "compiler/kernels/schedule/tune/MeasuredAttr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace transfold;
using nlohmann::ordered_json;

static ordered_json shapeOf(Type type) {
  ordered_json shape = ordered_json::array();
  for (Attribute axis : xf::getShape(type)) {
    if (auto number = xf::getNumber(axis))
      shape.push_back(*number);
    else
      shape.push_back(xf::printAxis(axis));
  }
  return shape;
}

static std::string text(DictionaryAttr attributes, StringRef name) {
  auto value = attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
  return value ? value.str() : "";
}

static ordered_json describeArgument(Type type, DictionaryAttr attributes) {
  ordered_json argument = {
      {"name", text(attributes, "xf.name")},
      {"external", text(attributes, "xf.external")},
      {"kind", isa<xf::IntegralType>(type) ? "integer" : "real"},
      {"shape", shapeOf(type)},
      {"default", nullptr},
      {"bound", 0}};
  if (auto value = attributes.getAs<mlir::IntegerAttr>("xf.default"))
    argument["default"] = value.getInt();
  for (const char *role : {"first_of", "wanted_of"})
    if (std::string length = text(attributes, std::string("xf.") + role);
        !length.empty())
      argument[role] = length;
  if (auto bound = attributes.getAs<mlir::IntegerAttr>("xf.bound"))
    argument["bound"] = bound.getInt();
  return argument;
}

/// The bytes of the weights that a run of the entry reads completely.
static uint64_t weightBytes(xf::EntryOp entry) {
  uint64_t bytes = 0;
  entry.walk([&](xf::WeightOp weight) {
    // Several kernels may read the weight.
    uint64_t once = 0;
    for (OpOperand &use : weight.getResult().getUses())
      once = std::max(once, host::bytesRead(use));
    bytes += once;
  });
  return bytes;
}

static ordered_json describeEntry(xf::EntryOp entry) {
  ordered_json described = {{"name", entry.getSymName().str()},
                            {"lengths", ordered_json::array()},
                            {"limits", ordered_json::object()},
                            {"arguments", ordered_json::array()},
                            {"results", ordered_json::array()}};
  if (auto stage = entry.getStage()) {
    described["stage"] = xf::stringifyStage(*stage).str();
    described["stage_of"] = entry.getStageOf()->str();
  }
  described["weight_bytes"] = weightBytes(entry);
  described["work"] = host::describeWork(entry);
  for (StringAttr length : entry.getLengths())
    described["lengths"].push_back(length.str());
  host::LengthProducts sizes(entry);
  for (const auto &product : sizes.products())
    described["products"].push_back(product);
  if (DictionaryAttr limits = entry.getLimitsAttr())
    for (NamedAttribute limit : limits)
      described["limits"][limit.getName().str()] =
          cast<IntegerAttr>(limit.getValue()).getInt();
  if (DictionaryAttr least = entry.getLeastAttr())
    for (NamedAttribute number : least)
      described["least"][number.getName().str()] =
          cast<IntegerAttr>(number.getValue()).getInt();
  auto argumentTypes = entry.getFunctionType().getInputs();
  for (unsigned k = 0; k < argumentTypes.size(); ++k)
    described["arguments"].push_back(
        describeArgument(argumentTypes[k], entry.getArgAttrDict(k)));
  auto resultTypes = entry.getFunctionType().getResults();
  for (unsigned k = 0; k < resultTypes.size(); ++k)
    described["results"].push_back(
        {{"name", text(entry.getResultAttrDict(k), "xf.name")},
         {"external", text(entry.getResultAttrDict(k), "xf.external")},
         {"shape", shapeOf(resultTypes[k])}});
  return described;
}

/// Formats an entry of a schedule: a number, or bounds of keys as functions of
/// queries.
static std::string numbersOf(Attribute entry) {
  if (auto number = dyn_cast<IntegerAttr>(entry))
    return std::to_string(number.getInt());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto map = dyn_cast<AffineMapAttr>(entry))
    stream << map.getValue();
  else
    stream << entry;
  return text;
}

/// Describes the origin of a kernel's schedule.
static std::string originOf(xf::KernelOp kernel) {
  auto measured =
      kernel->getAttrOfType<DictionaryAttr>(kernels::measuredAttrName);
  if (kernel.getVariant().value_or("").starts_with(kernels::trialPrefix))
    return "to be measured";
  if (!measured)
    return kernel.getScheduleAttr() ? "by rule" : "";
  auto number = [&](StringRef name) {
    return measured.getAs<FloatAttr>(name).getValueAsDouble();
  };
  return fmt::format("from {}: {:.4g} µs instead of {:.4g} by rule",
                     measured.getAs<StringAttr>("file").str(),
                     number("microseconds"), number("by_rule"));
}

ordered_json host::describeProgram(ModuleOp module) {
  ordered_json described = {{"model", module.getName().value_or("model").str()},
                            {"entries", ordered_json::array()},
                            {"cache_lengths", ordered_json::array()},
                            {"caches", ordered_json::array()},
                            {"kernels", ordered_json::array()},
                            {"transfold", ""},
                            {"target", ""},
                            {"weights", {{"bytes", 0}, {"hash", ""}}},
                            {"ledger", ordered_json::object()},
                            {"tasks", ordered_json::array()},
                            {"sources", ordered_json::array()}};
  for (auto entry : module.getOps<xf::EntryOp>())
    described["entries"].push_back(describeEntry(entry));
  for (StringAttr length : host::cacheLengths(module))
    described["cache_lengths"].push_back(length.str());
  for (auto cache : module.getOps<xf::CacheOp>()) {
    described["caches"].push_back(
        {{"name", cache.getSymName().str()},
         {"length", cache.getLength() ? ordered_json(cache.getLength().str())
                                      : ordered_json()},
         {"members", cache.getMembers()},
         {"row_numbers", cache.getRowSize()},
         {"row_bytes", cache.getRowBytes()}});
    if (auto window = cache.getWindow())
      described["caches"].back()["window"] = *window;
  }
  std::vector<std::string> targets;
  llvm::StringMap<StringRef> wholeOf; // of kernels for few rows
  for (auto kernel : module.getOps<xf::KernelOp>()) {
    std::string schedule;
    if (DictionaryAttr numbers = kernel.getScheduleAttr())
      for (NamedAttribute entry : numbers)
        schedule +=
            fmt::format("{}{} {}", schedule.empty() ? "" : ", ",
                        entry.getName().str(), numbersOf(entry.getValue()));
    described["kernels"].push_back(
        {{"name", kernel.getSymName().str()},
         {"anchor", xf::stringifyAnchor(kernel.getAnchor()).str()},
         {"schedule", schedule},
         {"origin", originOf(kernel)}});
    if (auto other = kernel.getVariantOf())
      described["kernels"].back()["variant_of"] = other->str();
    else
      described["kernels"].back()["products"] = host::productsOf(kernel);
    const StringRef whole = wholeOf.lookup(kernel.getSymName());
    if (!whole.empty())
      described["kernels"].back()["few_of"] = whole.str();
    if (auto few = kernel.getFew())
      wholeOf[*few] = whole.empty() ? kernel.getSymName() : whole;
    if (!kernel.getTarget())
      continue;
    std::string target =
        kernel.getVariant().value_or(*kernel.getTarget()).str();
    if (!llvm::is_contained(targets, target))
      targets.push_back(target);
  }
  described["target"] = fmt::format("{}", fmt::join(targets, ", "));
  return described;
}
