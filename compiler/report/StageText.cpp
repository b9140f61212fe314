// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's printer tells where in its output each operation begins.

#include "compiler/report/StageText.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/AsmState.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::report;
using nlohmann::ordered_json;

PrintedModule report::printModule(ModuleOp module) {
  PrintedModule printed;
  AsmState::LocationMap places;
  AsmState state(module, OpPrintingFlags(), &places);
  llvm::raw_string_ostream stream(printed.text);
  module->print(stream, state);
  stream << "\n";
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto place = places.find(op); place != places.end())
      printed.operations.push_back({op, place->second.first});
  });
  return printed;
}

void report::writeOrigins(ordered_json &into, const Origins &origins) {
  if (!origins.equations.empty())
    into["equations"] = std::vector<unsigned>(origins.equations.begin(),
                                              origins.equations.end());
  if (!origins.callers.empty())
    into["callers"] =
        std::vector<unsigned>(origins.callers.begin(), origins.callers.end());
  if (!origins.places.empty())
    into["at"] = std::vector<std::array<unsigned, 3>>(origins.places.begin(),
                                                      origins.places.end());
}

ordered_json report::linkedText(ModuleOp module,
                                const SpecEquations &equations) {
  PrintedModule printed = printModule(module);
  ordered_json links = ordered_json::array();
  for (const OperationLine &each : printed.operations) {
    Origins origins = equations.of(each.op->getLoc());
    if (origins.equations.empty())
      continue;
    ordered_json link = {{"line", each.line}};
    writeOrigins(link, origins);
    links.push_back(std::move(link));
  }
  return {{"text", std::move(printed.text)}, {"links", std::move(links)}};
}
