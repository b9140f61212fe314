// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are compiled without Halide's checks, so a device that refuses one is
// noticed when it is launched: Halide prints a line and calls abort(). No
// exception can pass through code that Halide generated, which has no tables
// for it; longjmp() can. Halide then holds one lock, that of OpenCL's context.

#include "runtime/kernels/DeviceFailure.h"

#include <atomic>
#include <csetjmp>
#include <mutex>

/// Of Halide's runtime, in programs for OpenCL alone.
extern "C" [[gnu::weak]] int halide_release_cl_context(void *context);

namespace transfold::runtime {

namespace {

thread_local std::jmp_buf *wayBack = nullptr;
std::atomic<void (*)(const std::string &)> endOfProcess = nullptr;

/// Why the device cannot be used any more; empty while it can.
struct Failure {
  std::mutex mutex;
  std::string reason;
};

Failure &failure() {
  static Failure instance;
  return instance;
}

void throwIfFailed() {
  const std::lock_guard lock(failure().mutex);
  if (!failure().reason.empty())
    throw ComputeError("the device failed: " + failure().reason +
                       "\nthe process cannot use it any more");
}

/// The part of a call between setjmp() and its end has no local variables that
/// change, as longjmp() asks.
bool isCompleted(int32_t (*run)(void *), void *argument, int32_t &code,
                 std::jmp_buf &here) {
  if (setjmp(here))
    return false;
  wayBack = &here;
  code = run(argument);
  return true;
}

} // namespace

void endOnDeviceFailure(void (*end)(const std::string &reason)) {
  endOfProcess = end;
}

int32_t runOnDevice(int32_t (*run)(void *), void *argument) {
  throwIfFailed();
  std::jmp_buf here;
  int32_t code = 0;
  const bool completed = isCompleted(run, argument, code, here);
  wayBack = nullptr;
  if (!completed && halide_release_cl_context)
    halide_release_cl_context(nullptr);
  if (!completed)
    throwIfFailed();
  return code;
}

/// Keeps the reason for later calls: what Halide reported before its check
/// failed, or the check where it reported nothing. A function of its own, so
/// that its variables end before the jump.
static void remember(std::string_view check) {
  check.remove_suffix(check.ends_with('\n'));
  const std::lock_guard lock(failure().mutex);
  failure().reason = hasKernelError() ? lastKernelError(0) : std::string(check);
}

void leaveOnDeviceFailure(std::string_view check) {
  auto *end = endOfProcess.load();
  if (!end && !wayBack)
    return;
  remember(check);
  if (end)
    end(failure().reason);
  std::longjmp(*wayBack, 1);
}

} // namespace transfold::runtime
