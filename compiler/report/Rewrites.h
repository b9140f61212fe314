// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each pass did to each equation: the operations of the equation before
// and after the pass, and the lines that the pass added to the ledger, with
// exact numbers and with the objections to what stayed.

#pragma once

#include "compiler/report/SpecEquations.h"

#include <mlir/Pass/PassInstrumentation.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace transfold::report {

/// The lines of each equation, by its number.
using LinesOfEquations = std::map<unsigned, std::vector<std::string>>;

/// Records the passes on modules. `rewrites`, to which a JSON object is
/// appended for each pass that changes something, and `equations` must outlive
/// the pass manager.
class RecordRewrites : public mlir::PassInstrumentation {
public:
  RecordRewrites(const SpecEquations &equations, llvm::StringRef stage,
                 nlohmann::ordered_json &rewrites)
      : equations(equations), stage(stage.str()), rewrites(rewrites) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  const SpecEquations &equations;
  std::string stage;
  nlohmann::ordered_json &rewrites;
  LinesOfEquations before;
  /// The passes that one on the module runs on the entries in it, in order.
  std::vector<std::string> nested;
  size_t ledger = 0; // its lines before the pass
};

} // namespace transfold::report
