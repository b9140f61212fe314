// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a module before and after each pass: the number of its operations,
// and the lines of its ledger.

#include "compiler/driver/pipeline/PassRecord.h"

#include "compiler/fold/Ledger.h"

#include <fmt/format.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

static size_t countOperations(Operation *module) {
  size_t count = 0;
  module->walk([&](Operation *) { ++count; });
  return count;
}

/// The lines of the ledger, in order.
static std::vector<Operation *> ledgerOf(ModuleOp module) {
  std::vector<Operation *> lines;
  Block &body = *module.getBody();
  for (Operation &op : body)
    if (isa<xf::FoldedOp, xf::MovedOp>(op))
      lines.push_back(&op);
  return lines;
}

/// "xf-fold-gauges"; passes without a name for the command line have that of
/// their class.
static std::string nameOf(Pass *pass) {
  StringRef argument = pass->getArgument();
  return (argument.empty() ? pass->getName() : argument).str();
}

void RecordPasses::runBeforePass(Pass *pass, Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return;
  current = {nameOf(pass), target};
  current.before = countOperations(module);
  lines = ledgerOf(module).size();
  started = std::chrono::steady_clock::now();
}

void RecordPasses::runAfterPass(Pass *pass, Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return;
  current.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started)
          .count();
  current.after = countOperations(module);
  const std::vector<Operation *> all = ledgerOf(module);
  for (size_t k = lines; k < all.size(); ++k)
    current.rewrites.push_back(fold::ledgerLine(all[k]));
  observer(current);
}

std::vector<std::string> driver::linesOf(const PassRecord &record) {
  std::string first =
      fmt::format("{:<26} {:>7.1f} ms  {:>5} → {} operations", record.pass,
                  record.seconds * 1000, record.before, record.after);
  if (!record.target.empty())
    first += "  " + record.target;
  std::vector<std::string> lines = {first};
  for (const std::string &line : record.rewrites)
    lines.push_back("    " + line);
  return lines;
}
