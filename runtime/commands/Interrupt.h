// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C while tokens are made: what was made is shown, nothing that looks
// complete is written, and the program says so and exits with 130, as shells
// expect of a program that SIGINT ended.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_INTERRUPT_H
#define TRANSFOLD_RUNTIME_COMMANDS_INTERRUPT_H

namespace transfold::runtime {

/// As long as it lives a first Ctrl-C is only noted; a second one ends the
/// program as always. One at a time.
class InterruptWatch {
public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch &) = delete;
  InterruptWatch &operator=(const InterruptWatch &) = delete;

  /// Whether the user asked to stop since a watch was there.
  static bool isInterrupted();
  static constexpr int exitStatus = 130; // 128 + SIGINT
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_INTERRUPT_H
