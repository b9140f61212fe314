// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each pass of a compilation did, for `compile --show-passes` and for
// other observers.

#pragma once

#include <mlir/Pass/PassInstrumentation.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace transfold::driver {

/// One run of a pass on a module.
struct PassRecord {
  std::string pass;   ///< "xf-fold-gauges"
  std::string target; ///< of the module; empty before there are several
  double seconds = 0;
  size_t before = 0, after = 0; ///< operations of the module
  /// The lines that it added to the ledger: what was moved where, or why it
  /// stays.
  std::vector<std::string> rewrites = {};
};

/// Receives the records, from one thread, in the order of the passes.
using PassObserver = std::function<void(const PassRecord &)>;

/// Makes records of the passes on modules; those on the operations in a module,
/// which run for several of them at once, are part of the pass that runs them.
class RecordPasses : public mlir::PassInstrumentation {
public:
  RecordPasses(PassObserver observer, std::string target)
      : observer(std::move(observer)), target(std::move(target)) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  PassObserver observer;
  std::string target;
  PassRecord current;
  size_t lines = 0; // of the ledger, before the pass
  std::chrono::steady_clock::time_point started;
};

/// The record as lines of text.
std::vector<std::string> linesOf(const PassRecord &record);

} // namespace transfold::driver
