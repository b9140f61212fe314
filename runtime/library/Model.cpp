// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of a library: the compiler renames transfold_library_model to
// NAME_model and hides all other symbols. The string NAME is defined in a file
// that the compiler generates.

#include "runtime/library/ProgramHandle.h"

#include <new>

extern "C" const char transfold_library_name[];

/// Implements tfold_model::open. The program is returned even if it could not
/// be opened, since it has the message.
static tfold_status open(const tfold_model *model,
                         const tfold_open_options *options,
                         tfold_program **program) {
  auto *opened = new (std::nothrow) transfold::runtime::ProgramHandle;
  *program = opened;
  return opened ? opened->open(*model, options) : TFOLD_ERROR_MEMORY;
}

extern "C" const tfold_model *transfold_library_model(void) {
  static const tfold_model model = {TFOLD_ABI_VERSION, open,
                                    transfold_library_name};
  return &model;
}
