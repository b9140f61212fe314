// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the entries of a module with those of the spec.

#include "compiler/driver/pipeline/UnrequestedResults.h"

#include "dialect/Dialect.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;

/// Whether an entry still exists with that result.
static bool hasResult(ModuleOp module, const spec::EntryInfo &info,
                      const std::string &name) {
  auto entry = module.lookupSymbol<xf::EntryOp>(info.name);
  if (!entry)
    return false;
  for (unsigned k = 0; k < entry.getNumResults(); ++k)
    if (entry.getResultAttrOfType<StringAttr>(k, "xf.name") == name)
      return true;
  return false;
}

/// The entry whose first result a task reads.
static const spec::EntryInfo &lastEntry(const spec::Model &model,
                                        const spec::TaskInfo &task) {
  return *llvm::find_if(model.entries(), [&](const auto &entry) {
    return entry.name == task.entries.back();
  });
}

bool driver::hasTask(ModuleOp module, const spec::Model &model,
                     const spec::TaskInfo &task) {
  const spec::EntryInfo &last = lastEntry(model, task);
  return hasResult(module, last, last.results[0].name) &&
         llvm::all_of(task.entries, [&](const std::string &entry) {
           return module.lookupSymbol<xf::EntryOp>(entry);
         });
}

std::vector<std::string> driver::describeLeftOut(ModuleOp module,
                                                 const spec::Model &model) {
  std::vector<std::string> lines;
  for (const spec::TaskInfo &task : model.tasks()) {
    const spec::EntryInfo &last = lastEntry(model, task);
    if (!hasTask(module, model, task)) {
      lines.push_back(fmt::format(
          "omitting task {}: --results leaves out {}, which it reads",
          task.kind, last.results[0].name));
      continue;
    }
    for (const spec::ResultInfo &result : last.results) {
      std::string line =
          fmt::format("omitting {} of {}; --results=all includes it",
                      result.name, last.name);
      if (!hasResult(module, last, result.name) &&
          !llvm::is_contained(lines, line))
        lines.push_back(line);
    }
  }
  return lines;
}
