// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures by copies of a large block, which read and write each byte once.

#include "runtime/commands/bench/DeviceSpeed.h"

#include "runtime/commands/bench/Peak.h"
#include "runtime/kernels/KernelError.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

namespace {

/// Much more than a device's caches hold: those of an H200 have 60 MB.
constexpr int64_t copiedBytes = int64_t{256} << 20;
/// Number of consecutive copies, so that the launch of one overlaps with the
/// copy before it.
constexpr int copies = 8;

} // namespace

double copyingSpeed(const DeviceWeights *device) {
  if (!device)
    return 0;
  const halide_device_interface_t *interface = device->interface();
  // The contents of the memory do not matter.
  DeviceMemory from(interface), to(interface);
  for (DeviceMemory *each : {&from, &to})
    if (int code = each->allocate(copiedBytes)) {
      lastKernelError(code); // out of memory, which is not an error of a kernel
      return 0;
    }
  double best = 0;
  const double begin = now();
  for (int attempt = 0; attempt < 4; ++attempt) {
    const double start = now();
    if (start - begin > 1) // enough for such a slow device
      break;
    int code = 0;
    for (int i = 0; i < copies && !code; ++i)
      code = to.copyAll(from);
    if (!code)
      code = to.synchronize();
    if (code) {
      lastKernelError(code);
      return 0;
    }
    best = std::max(best, 2.0 * copies * copiedBytes / (now() - start));
  }
  return best;
}

} // namespace transfold::runtime::inline commands
