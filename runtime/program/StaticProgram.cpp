// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable is static if none of its program headers names a dynamic loader
// (PT_INTERP).

#include "runtime/program/StaticProgram.h"

#include <link.h>

namespace transfold::runtime::inline program {

bool isStaticProgram() {
  bool namesLoader = false;
  // The first object is the executable.
  auto look = [](dl_phdr_info *info, size_t, void *to) {
    for (int i = 0; i < info->dlpi_phnum; ++i)
      *static_cast<bool *>(to) |= info->dlpi_phdr[i].p_type == PT_INTERP;
    return 1;
  };
  ::dl_iterate_phdr(look, &namesLoader);
  return !namesLoader;
}

} // namespace transfold::runtime::inline program
