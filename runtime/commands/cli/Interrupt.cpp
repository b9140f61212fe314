// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler restores the previous one at once: the second Ctrl-C then ends a
// program that does not react to the flag.

#include "runtime/commands/cli/Interrupt.h"

#include <csignal>

namespace transfold::runtime::inline commands {

namespace {

volatile std::sig_atomic_t interrupted = 0;
/// The previous handler of Ctrl-C: it removes temporary files, and ends the
/// program.
void (*usual)(int) = SIG_DFL;

} // namespace

InterruptWatch::InterruptWatch() {
  usual = std::signal(SIGINT, [](int) {
    interrupted = 1;
    std::signal(SIGINT, usual);
  });
}

InterruptWatch::~InterruptWatch() { std::signal(SIGINT, usual); }

bool InterruptWatch::isInterrupted() { return interrupted; }

} // namespace transfold::runtime::inline commands
