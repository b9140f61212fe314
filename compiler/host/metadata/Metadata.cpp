// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates what the runtime must know of a module to records: the runtime has
// no MLIR.

#include "compiler/host/metadata/Metadata.h"

#include "compiler/host/metadata/Work.h"
#include "compiler/host/plan/LengthProducts.h"
#include "compiler/host/plan/MemorySpace.h"
#include "compiler/kernels/schedule/tune/MeasuredAttr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace transfold;
namespace records = transfold::runtime::records;

/// Axes as numbers, or as the names of lengths.
static records::Shape shapeOf(Type type) {
  records::Shape shape;
  for (Attribute axis : xf::getShape(type)) {
    auto number = xf::getNumber(axis);
    shape.push_back({number.value_or(0), number ? "" : xf::printAxis(axis)});
  }
  return shape;
}

/// A string attribute; empty if it is absent.
static std::string text(DictionaryAttr attributes, StringRef name) {
  auto value = attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
  return value ? value.str() : "";
}

/// The same; nullopt if it is absent or empty.
static std::optional<std::string> textIfAny(DictionaryAttr attributes,
                                            StringRef name) {
  std::string value = text(attributes, name);
  return value.empty() ? std::nullopt : std::optional(value);
}

/// How the runtime checks an argument and what it passes if there is none.
static records::Argument describeArgument(Type type,
                                          DictionaryAttr attributes) {
  records::Argument argument{.name = text(attributes, "xf.name"),
                             .kind = isa<xf::IntegralType>(type) ? "integer"
                                                                 : "real",
                             .external = text(attributes, "xf.external"),
                             .shape = shapeOf(type),
                             .firstOf = textIfAny(attributes, "xf.first_of"),
                             .wantedOf = textIfAny(attributes, "xf.wanted_of")};
  if (auto value = attributes.getAs<mlir::IntegerAttr>("xf.default"))
    argument.defaultValue = value.getInt();
  if (auto bound = attributes.getAs<mlir::IntegerAttr>("xf.bound"))
    argument.bound = bound.getInt();
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

/// Numbers by their names.
static records::OfLengths numbersOf(DictionaryAttr attributes) {
  records::OfLengths numbers;
  if (attributes)
    for (NamedAttribute number : attributes)
      numbers[number.getName().str()] =
          cast<IntegerAttr>(number.getValue()).getInt();
  return numbers;
}

/// The fields of an entry: its signature, its lengths and their limits, and the
/// work of its kernels.
static records::Entry describeEntry(xf::EntryOp entry) {
  records::Entry described{.name = entry.getSymName().str()};
  if (auto stage = entry.getStage()) {
    described.stage = xf::stringifyStage(*stage).str();
    described.stageOf = entry.getStageOf()->str();
  }
  described.weightBytes = weightBytes(entry);
  described.work = host::describeWork(entry);
  for (StringAttr length : entry.getLengths())
    described.lengths.push_back(length.str());
  host::LengthProducts sizes(entry);
  for (const auto &product : sizes.products())
    described.products.emplace_back(product.begin(), product.end());
  described.limits = numbersOf(entry.getLimitsAttr());
  described.least = numbersOf(entry.getLeastAttr());
  auto argumentTypes = entry.getFunctionType().getInputs();
  for (unsigned k = 0; k < argumentTypes.size(); ++k)
    described.arguments.push_back(
        describeArgument(argumentTypes[k], entry.getArgAttrDict(k)));
  auto resultTypes = entry.getFunctionType().getResults();
  for (unsigned k = 0; k < resultTypes.size(); ++k)
    described.results.push_back(
        {.name = text(entry.getResultAttrDict(k), "xf.name"),
         .external = text(entry.getResultAttrDict(k), "xf.external"),
         .shape = shapeOf(resultTypes[k])});
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

/// Describes a cache by its length, its members, the size of its rows and the
/// window of a sliding-window attention, if it has one.
static records::Cache describeCache(xf::CacheOp cache) {
  records::Cache described{
      .name = cache.getSymName().str(),
      .members = static_cast<int64_t>(cache.getMembers()),
      .rowNumbers = static_cast<int64_t>(cache.getRowSize()),
      .rowBytes = static_cast<int64_t>(cache.getRowBytes())};
  if (StringAttr length = cache.getLength())
    described.length = length.str();
  if (auto window = cache.getWindow())
    described.window = static_cast<int64_t>(*window);
  if (cache.getState())
    described.kind = "state";
  return described;
}

/// Describes a kernel, except for `few_of`: the kernel of which it is the form
/// for few rows.
static records::Kernel describeKernel(xf::KernelOp kernel) {
  std::string schedule;
  if (DictionaryAttr numbers = kernel.getScheduleAttr())
    for (NamedAttribute entry : numbers)
      schedule +=
          fmt::format("{}{} {}", schedule.empty() ? "" : ", ",
                      entry.getName().str(), numbersOf(entry.getValue()));
  records::Kernel described{.name = kernel.getSymName().str(),
                            .anchor =
                                xf::stringifyAnchor(kernel.getAnchor()).str(),
                            .schedule = schedule,
                            .origin = originOf(kernel)};
  if (auto other = kernel.getVariantOf())
    described.variantOf = other->str();
  else
    described.products = host::productsOf(kernel);
  return described;
}

records::Program host::describeProgram(ModuleOp module) {
  records::Program described{.model = module.getName().value_or("model").str()};
  for (auto entry : module.getOps<xf::EntryOp>())
    described.entries.push_back(describeEntry(entry));
  for (StringAttr length : host::cacheLengths(module))
    described.cacheLengths.push_back(length.str());
  for (auto cache : module.getOps<xf::CacheOp>())
    described.caches.push_back(describeCache(cache));
  std::vector<std::string> targets;
  llvm::StringMap<StringRef> wholeOf; // of kernels for few rows
  for (auto kernel : module.getOps<xf::KernelOp>()) {
    described.kernels.push_back(describeKernel(kernel));
    const StringRef whole = wholeOf.lookup(kernel.getSymName());
    described.kernels.back().fewOf = whole.str();
    if (auto few = kernel.getFew())
      wholeOf[*few] = whole.empty() ? kernel.getSymName() : whole;
    if (!kernel.getTarget())
      continue;
    std::string target =
        kernel.getVariant().value_or(*kernel.getTarget()).str();
    if (!llvm::is_contained(targets, target))
      targets.push_back(target);
  }
  described.target = fmt::format("{}", fmt::join(targets, ", "));
  return described;
}
