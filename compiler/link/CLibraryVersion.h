// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which systems an executable runs on.

#pragma once

#include <string>

namespace transfold::link {

/// The oldest version of the GNU C library that the executable runs with, e.g.
/// "2.34"; empty if it needs none. Throws LinkError.
std::string neededCLibrary(const std::string &path);

} // namespace transfold::link
