// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts in the package of a program. NAME is that of the package and of the
// command.

#ifndef TRANSFOLD_COMPILER_DRIVER_PACKAGETEXTS_H
#define TRANSFOLD_COMPILER_DRIVER_PACKAGETEXTS_H

#include <string>

namespace transfold::driver {

/// A unit that answers OpenAI's clients on port 8080 of this machine.
std::string systemdUnit(const std::string &name, const std::string &model);

/// A page for `man` that says where to read more.
std::string programManual(const std::string &name, const std::string &model,
                          bool serves);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_PACKAGETEXTS_H
