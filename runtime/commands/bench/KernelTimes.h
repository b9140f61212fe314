// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distribution of the run time over the kernels.

#pragma once

#include "runtime/program/call/Session.h"

#include <chrono>
#include <string>
#include <vector>

namespace transfold::runtime::inline commands {

/// A profiler that attributes the time between two launches to the later one.
/// On a device it waits after each launch, so that the sum exceeds the time of
/// a normal run.
class KernelTimes : private transfold_watch {
public:
  /// The launches of one kernel.
  struct Row {
    std::string kernel;
    int64_t launches = 0;
    double milliseconds = 0;
    /// Fraction of the tighter limit of the machine that is reached, and the
    /// name of that limit; 0: unknown.
    double share = 0;
    std::string limit;
  };

  /// Profiles the session as long as it lives.
  explicit KernelTimes(Session &session);
  KernelTimes(const KernelTimes &) = delete;
  KernelTimes &operator=(const KernelTimes &) = delete;
  ~KernelTimes();

  /// Must be called before each run: the time before the first launch is
  /// attributed to it.
  void startRun() { last = std::chrono::steady_clock::now(); }
  /// Averages for one of `runs` runs: the kernels that were launched, the
  /// slowest first.
  std::vector<Row> rows(int64_t runs) const;

private:
  /// Called at each launch: the time since the preceding launch belongs to
  /// `kernel`.
  void note(uint32_t kernel);

  Session &session;
  std::vector<Row> byNumber;
  std::chrono::steady_clock::time_point last;
};

/// The rows as a JSON list.
std::string asJson(const std::vector<KernelTimes::Row> &rows);
/// Prints a line for each kernel, with its share of the total time and of the
/// machine's limit.
void printKernelTimes(const std::vector<KernelTimes::Row> &rows);

} // namespace transfold::runtime::inline commands
