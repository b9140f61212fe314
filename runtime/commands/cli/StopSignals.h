// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGTERM and SIGINT ask a server to stop; a second signal ends it at once.

#pragma once

#include "base/NonCopyable.h"

namespace transfold::runtime::inline commands {

/// Handles these signals while it lives. Only one object at a time.
class StopSignals : NonCopyable {
public:
  /// Throws Error.
  StopSignals();
  ~StopSignals();

  /// Waits until a signal arrives or wake() is called.
  void wait();
  /// Ends wait(); may be called by a signal handler.
  static void wake();
};

} // namespace transfold::runtime::inline commands
