// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the text of a module before and after each pass. Values are numbered
// anew in each text, so that their names do not count as a difference.
//
//   %26 = xf.scale %25 by <"1/sqrt(32)"> "1 / √d_k"   and
//   %31 = xf.scale %30 by <"1/sqrt(32)"> "1 / √d_k"   are the same line.

#include "compiler/report/Rewrites.h"

#include "compiler/fold/Ledger.h"
#include "compiler/report/Laws.h"
#include "compiler/report/StageText.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

#include <algorithm>
#include <set>

using namespace mlir;
using namespace transfold;
using namespace transfold::report;
using nlohmann::ordered_json;

/// The operations of each equation, each as the first line of its text. The
/// ledger is not part of an equation.
static LinesOfEquations linesOf(ModuleOp module,
                                const SpecEquations &equations) {
  PrintedModule printed = printModule(module);
  SmallVector<StringRef> lines;
  StringRef(printed.text).split(lines, '\n');
  LinesOfEquations all;
  for (const OperationLine &each : printed.operations) {
    if (isa<xf::FoldedOp, xf::MovedOp>(each.op) || each.line == 0 ||
        each.line > lines.size())
      continue;
    for (unsigned equation : equations.of(each.op->getLoc()).equations)
      all[equation].push_back(lines[each.line - 1].trim().str());
  }
  return all;
}

/// A line without the names of its values.
static std::string withoutNames(StringRef line) {
  std::string text;
  for (size_t k = 0; k < line.size(); ++k) {
    text += line[k];
    if (line[k] == '%')
      while (k + 1 < line.size() &&
             (llvm::isAlnum(line[k + 1]) || line[k + 1] == '_'))
        ++k;
  }
  return text;
}

/// The lines of `some` that `others` lacks, whatever the names of values.
static std::vector<std::string>
without(const std::vector<std::string> &some,
        const std::vector<std::string> &others) {
  std::vector<std::string> left;
  for (const std::string &line : others)
    left.push_back(withoutNames(line));
  std::vector<std::string> result;
  for (const std::string &line : some) {
    auto same = std::ranges::find(left, withoutNames(line));
    if (same == left.end())
      result.push_back(line);
    else
      left.erase(same);
  }
  return result;
}

/// The equations that changed: {"equation": 3, "before": […], "after": […]}.
static ordered_json changes(const LinesOfEquations &before,
                            const LinesOfEquations &after) {
  ordered_json all = ordered_json::array();
  std::set<unsigned> numbers;
  for (const auto &[equation, lines] : before)
    numbers.insert(equation);
  for (const auto &[equation, lines] : after)
    numbers.insert(equation);
  auto linesIn = [](const LinesOfEquations &lines, unsigned equation) {
    auto found = lines.find(equation);
    return found == lines.end() ? std::vector<std::string>() : found->second;
  };
  for (unsigned equation : numbers) {
    const auto was = linesIn(before, equation), is = linesIn(after, equation);
    auto gone = without(was, is), added = without(is, was);
    if (!gone.empty() || !added.empty())
      all.push_back({{"equation", equation},
                     {"before", std::move(gone)},
                     {"after", std::move(added)}});
  }
  return all;
}

/// The lines of the ledger, in order.
static SmallVector<Operation *> ledgerOf(ModuleOp module) {
  SmallVector<Operation *> lines;
  Block &body = *module.getBody();
  for (Operation &op : body)
    if (isa<xf::FoldedOp, xf::MovedOp>(op))
      lines.push_back(&op);
  return lines;
}

/// "xf-fold-gauges"; passes without a name for the command line have that of
/// their class.
static std::string ruleOf(Pass *pass) {
  StringRef argument = pass->getArgument();
  return (argument.empty() ? pass->getName() : argument).str();
}

/// MLIR calls this from one thread at a time, also for passes that run in
/// several; copies of a pass for other threads have its name.
void RecordRewrites::runBeforePass(Pass *pass, Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module) {
    if (!llvm::is_contained(nested, ruleOf(pass)))
      nested.push_back(ruleOf(pass));
    return;
  }
  nested.clear();
  before = linesOf(module, equations);
  ledger = ledgerOf(module).size();
}

void RecordRewrites::runAfterPass(Pass *pass, Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return;
  ordered_json moved = ordered_json::array();
  const SmallVector<Operation *> lines = ledgerOf(module);
  for (Operation *line : ArrayRef(lines).drop_front(ledger)) {
    ordered_json event = fold::ledgerJson(line);
    event["text"] = fold::ledgerLine(line);
    writeOrigins(event, equations.of(line->getLoc()));
    moved.push_back(std::move(event));
  }
  ordered_json changed = changes(before, linesOf(module, equations));
  if (moved.empty() && changed.empty())
    return;
  // A pass on the module that only runs others has their names.
  std::vector<std::string> rules = nested;
  if (rules.empty())
    rules.push_back(ruleOf(pass));
  ordered_json rewrite = {{"stage", stage},
                          {"rule", llvm::join(rules, ", ")},
                          {"summary", pass->getDescription().str()},
                          {"law", nullptr}};
  for (const std::string &rule : rules)
    if (const Law *law = lawOf(rule); law && rewrite["law"].is_null())
      rewrite["law"] = {{"name", law->name.str()},
                        {"identity", law->identity.str()}};
  rewrite["ledger"] = std::move(moved);
  rewrite["changes"] = std::move(changed);
  rewrites.push_back(std::move(rewrite));
}
