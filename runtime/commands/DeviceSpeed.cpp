// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/DeviceSpeed.h"

#include "runtime/commands/Peak.h"
#include "runtime/kernels/KernelError.h"
#include <HalideRuntime.h>

#include <algorithm>

namespace transfold::runtime {

namespace {

/// Far more than a device's caches hold: those of an H200 have 60 MB.
constexpr int64_t copiedBytes = int64_t{256} << 20;
/// Behind each other, so that starting one is hidden behind the one before.
constexpr int copies = 8;

/// Memory of the device, with whatever is in it.
class Block {
public:
  halide_buffer_t buffer = {};

  explicit Block(const halide_device_interface_t *interface)
      : interface(interface) {
    buffer.type = halide_type_of<int32_t>();
    buffer.dimensions = 1;
    buffer.dim = &row;
    code = interface->device_malloc(nullptr, &buffer, interface);
    if (code)
      lastKernelError(code); // no room, which is no error of a kernel's
    buffer.set_device_dirty();
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  ~Block() {
    if (buffer.device)
      interface->device_free(nullptr, &buffer);
  }
  bool isThere() const { return code == 0; }

private:
  const halide_device_interface_t *interface;
  halide_dimension_t row = {
      0, static_cast<int32_t>(copiedBytes / sizeof(int32_t)), 1, 0};
  int code;
};

} // namespace

double copyingSpeed(const DeviceWeights *device) {
  if (!device)
    return 0;
  const halide_device_interface_t *interface = device->interface();
  Block from(interface), to(interface);
  double best = 0;
  const double begin = now();
  for (int attempt = 0; attempt < 4 && from.isThere() && to.isThere();
       ++attempt) {
    const double start = now();
    if (start - begin > 1) // a device so slow needs no more
      break;
    int code = 0;
    for (int i = 0; i < copies && !code; ++i)
      code =
          interface->buffer_copy(nullptr, &from.buffer, interface, &to.buffer);
    if (!code)
      code = interface->device_sync(nullptr, &to.buffer);
    if (code) {
      lastKernelError(code);
      return 0;
    }
    best = std::max(best, 2.0 * copies * copiedBytes / (now() - start));
  }
  return best;
}

} // namespace transfold::runtime
