// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C while tokens are made: what was made is shown, nothing that looks
// complete is written, and the program says so and exits with 130, as shells
// expect of a program that SIGINT ended.

#ifndef TRANSFOLD_RUNTIME_INTERRUPT_H
#define TRANSFOLD_RUNTIME_INTERRUPT_H

#include <stdexcept>

namespace transfold::runtime {

/// Thrown where the user asked to stop. Not an Error: nothing may put it down
/// to the text or the row that was being worked on and go on with the next.
class Interrupted : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  static constexpr int exitStatus = 130; // 128 + SIGINT
};

/// As long as it lives a first Ctrl-C is only noted; a second one ends the
/// program as always. One at a time.
class InterruptWatch {
public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch &) = delete;
  InterruptWatch &operator=(const InterruptWatch &) = delete;
};

/// Throws Interrupted if the user asked to stop since a watch was there.
void checkInterrupt();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_INTERRUPT_H
