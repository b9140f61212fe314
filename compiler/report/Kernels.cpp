// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel comes from the equations of all operations in it, and a cache from
// those of the operations that read and write it.

#include "compiler/report/Kernels.h"

#include "compiler/report/StageText.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/raw_ostream.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::report;
using nlohmann::ordered_json;

template <typename Printable> static std::string textOf(Printable printable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printable.print(stream);
  return text;
}

/// {"rows": "8", …}: numbers as numbers, other parameters as text.
static ordered_json scheduleOf(xf::KernelOp kernel) {
  ordered_json schedule = ordered_json::object();
  if (auto entries = kernel.getSchedule())
    for (NamedAttribute entry : *entries) {
      std::string name = entry.getName().str();
      if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
        schedule[name] = number.getInt();
      else
        schedule[name] = textOf(entry.getValue());
    }
  return schedule;
}

/// The number of launches of each kernel.
static llvm::StringMap<unsigned> launchesIn(ModuleOp module) {
  llvm::StringMap<unsigned> launches;
  module.walk([&](xf::LaunchOp launch) { ++launches[launch.getKernel()]; });
  return launches;
}

ordered_json report::kernelsOf(ModuleOp module, const SpecEquations &equations,
                               const KernelTexts &loops,
                               const KernelTexts &assembly) {
  llvm::StringMap<unsigned> launches = launchesIn(module);
  ordered_json all = ordered_json::array();
  for (auto kernel : module.getOps<xf::KernelOp>()) {
    Origins origins = equations.of(kernel.getLoc());
    kernel.walk([&](Operation *op) {
      SpecEquations::add(origins, equations.of(op->getLoc()));
    });
    const std::string name = kernel.getSymName().str();
    ordered_json added = {
        {"name", name},
        {"anchor", xf::stringifyAnchor(kernel.getAnchor()).str()},
        {"target", kernel.getTarget().value_or("").str()},
        {"launches", launches.lookup(name)},
        {"schedule", scheduleOf(kernel)}};
    if (auto variant = kernel.getVariant())
      added["variant"] = variant->str();
    if (auto other = kernel.getVariantOf())
      added["variant_of"] = other->str();
    writeOrigins(added, origins);
    if (auto text = loops.find(name); text != loops.end())
      added["loops"] = text->second;
    if (auto text = assembly.find(name); text != assembly.end())
      added["assembly"] = text->second;
    all.push_back(std::move(added));
  }
  return all;
}

ordered_json report::cachesOf(ModuleOp module, const SpecEquations &equations) {
  llvm::StringMap<Origins> origins;
  module.walk([&](Operation *op) {
    StringRef cache;
    if (auto write = dyn_cast<xf::CacheWriteOp>(op))
      cache = write.getCache();
    else if (auto read = dyn_cast<xf::CacheReadOp>(op))
      cache = read.getCache();
    else
      return;
    SpecEquations::add(origins[cache], equations.of(op->getLoc()));
  });
  ordered_json all = ordered_json::array();
  for (auto cache : module.getOps<xf::CacheOp>()) {
    ordered_json added = {{"name", cache.getSymName().str()},
                          {"type", textOf(Type(cache.getType()))},
                          {"members", cache.getMembers()},
                          {"bytes", cache.getRowBytes() * cache.getMembers()},
                          {"for_each_position", bool(cache.getLength())},
                          {"state", cache.getState()},
                          {"window", nullptr}};
    if (auto window = cache.getWindow())
      added["window"] = *window;
    writeOrigins(added, origins[cache.getSymName()]);
    all.push_back(std::move(added));
  }
  return all;
}
