// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the time of runs is spread over kernels.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_KERNELTIMES_H
#define TRANSFOLD_RUNTIME_COMMANDS_KERNELTIMES_H

#include "runtime/program/Session.h"

#include <chrono>
#include <string>
#include <vector>

namespace transfold::runtime {

/// Attributes the time between two launches to the later one. On a device it
/// waits after each, so that the sum is more than a run takes.
class KernelTimes : private transfold_watch {
public:
  struct Row {
    std::string kernel;
    int64_t launches = 0;
    double milliseconds = 0;
    /// Of the machine's nearer limit, and which; 0: unknown.
    double share = 0;
    std::string limit;
  };

  /// Watches the session as long as it lives.
  explicit KernelTimes(Session &session);
  KernelTimes(const KernelTimes &) = delete;
  KernelTimes &operator=(const KernelTimes &) = delete;
  ~KernelTimes();

  /// Call before each run: what is before the first launch counts with it.
  void startRun() { last = std::chrono::steady_clock::now(); }
  /// Of one of `runs` runs: kernels that were launched, the longest first.
  std::vector<Row> rows(int64_t runs) const;

private:
  void note(uint32_t kernel);

  Session &session;
  std::vector<Row> byNumber;
  std::chrono::steady_clock::time_point last;
};

/// A JSON list.
std::string asJson(const std::vector<KernelTimes::Row> &rows);
/// A line for each kernel, with its share of all of them and of the machine's
/// limit.
void print(const std::vector<KernelTimes::Row> &rows);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_KERNELTIMES_H
