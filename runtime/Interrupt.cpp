// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Interrupt.h"

#include <csignal>

namespace transfold::runtime {

namespace {

volatile std::sig_atomic_t interrupted = 0;

} // namespace

InterruptWatch::InterruptWatch() {
  std::signal(SIGINT, [](int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

InterruptWatch::~InterruptWatch() { std::signal(SIGINT, SIG_DFL); }

void checkInterrupt() {
  if (interrupted)
    throw Interrupted("interrupted");
}

} // namespace transfold::runtime
