// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the list of programs that one compilation linked, one for each target.
// A device that the user names is not probed: its own error is more helpful
// than the silent choice of another one.

#include "runtime/program/Alternatives.h"

#include "base/Error.h"
#include "runtime/program/device/DeviceMemory.h"

#include <cstdlib>

namespace transfold::runtime::inline program {

std::string_view deviceOf(const transfold_program &program) {
  if (!program.device_interface)
    return "cpu";
  return program.variant_count ? program.variants[0].name : "";
}

std::string_view targetOf(const transfold_program &program) {
  return program.variant_count ? program.variants[0].target : "";
}

std::vector<std::string_view> devicesOf(const transfold_program &program) {
  std::vector<std::string_view> devices;
  for (const auto *each = &program; each; each = each->next)
    devices.push_back(deviceOf(*each));
  return devices;
}

/// The program for `device`, or null.
static const transfold_program *named(const transfold_program &program,
                                      std::string_view device) {
  for (const auto *each = &program; each; each = each->next)
    if (deviceOf(*each) == device)
      return each;
  return nullptr;
}

const transfold_program &chooseAlternative(const transfold_program &program,
                                           std::string_view device) {
  const char *variable = std::getenv("TRANSFOLD_DEVICE");
  const bool isGiven = !device.empty();
  if (!isGiven && variable)
    device = variable;
  if (!device.empty()) {
    if (const transfold_program *found = named(program, device))
      return *found;
    fail("{}{}: the program was compiled for {}; `transfold compile --target` "
         "takes several, such as cuda,x86-64",
         isGiven ? "--device=" : "TRANSFOLD_DEVICE=", device,
         fmt::join(devicesOf(program), ", "));
  }
  const transfold_program *each = &program;
  while (each->next && each->device_interface &&
         !isThere(each->device_interface(), targetOf(*each)))
    each = each->next;
  return *each;
}

} // namespace transfold::runtime::inline program
