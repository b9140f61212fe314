// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts in the package of a program. NAME is that of the package and of its
// command.

#pragma once

#include <string>

namespace transfold::driver {

/// A systemd unit that serves OpenAI's clients on port 8080 of this machine.
std::string systemdUnit(const std::string &name, const std::string &model);

/// A manual page that refers to the program's own help.
std::string programManual(const std::string &name, const std::string &model,
                          bool serves);

} // namespace transfold::driver
