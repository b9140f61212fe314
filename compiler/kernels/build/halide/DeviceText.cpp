// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide keeps device code as a constant of the module that launches it.

#include "compiler/kernels/build/halide/DeviceText.h"

#include <cstring>

using namespace Halide;

namespace transfold::kernels {

Module
withDeviceText(const Module &module,
               const std::function<std::string(const std::string &)> &change) {
  Module result(module.name(), module.target());
  for (const Internal::LoweredFunc &function : module.functions())
    result.append(function);
  for (const Buffer<> &buffer : module.buffers()) {
    if (!Internal::ends_with(buffer.name(), "_gpu_source_kernels")) {
      result.append(buffer);
      continue;
    }
    // The text ends with a zero byte, at which the driver stops reading.
    const std::string text = change(static_cast<const char *>(buffer.data()));
    Buffer<uint8_t> changed(static_cast<int>(text.size() + 1), buffer.name());
    std::memcpy(changed.data(), text.c_str(), text.size() + 1);
    result.append(changed);
  }
  return result;
}

} // namespace transfold::kernels
