// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C while tokens are generated: the tokens so far are shown, no incomplete
// output file is written, and the program prints a message and exits with
// status 130, as shells expect of a program ended by SIGINT.

#pragma once

#include "base/NonCopyable.h"

namespace transfold::runtime::inline commands {

/// While an object lives, the first Ctrl-C only sets a flag; a second one ends
/// the program as usual. Only one object at a time.
class InterruptWatch : NonCopyable {
public:
  InterruptWatch();
  ~InterruptWatch();

  /// Whether Ctrl-C was pressed since a watch existed.
  static bool isInterrupted();
  static constexpr int exitStatus = 130; // 128 + SIGINT
};

} // namespace transfold::runtime::inline commands
