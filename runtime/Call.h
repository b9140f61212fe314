// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry with memory for its arguments and results, used call after call.

#ifndef TRANSFOLD_RUNTIME_CALL_H
#define TRANSFOLD_RUNTIME_CALL_H

#include "runtime/AlignedBuffer.h"
#include "runtime/Session.h"

#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime {

class Call {
public:
  Call(Session &session, size_t entry);

  const Entry &entry() const { return described; }
  std::span<const int64_t> lengths() const { return currentLengths; }

  /// Sets the lengths of the next run and makes room; arguments must then be
  /// filled. Throws Error where a length is out of its limits.
  void setLengths(std::span<const int64_t> lengths);
  /// Memory of an argument, in the order of Program.h.
  std::span<int32_t> integers(size_t argument);
  std::span<float> reals(size_t argument);
  /// Fills an argument with its default, or with `otherwise` without one.
  void fill(size_t argument, double otherwise = 0);
  void run();
  /// A result of the last run.
  std::span<const float> result(size_t index) const;

private:
  Session &session;
  size_t index;
  const Entry &described;
  std::vector<int64_t> currentLengths;
  std::vector<AlignedBuffer> arguments, results;
  std::vector<const void *> argumentPointers;
  std::vector<void *> resultPointers;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_CALL_H
