// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides the contents of a library that is linked statically.

#pragma once

#include <string>

namespace transfold::link {

/// Returns the object file with all symbols that it defines made local, except
/// `symbol`, which is renamed to `name`: two such objects with equal functions
/// can be linked into one executable. Throws LinkError.
std::string keepGlobal(const std::string &object, const std::string &symbol,
                       const std::string &name);

} // namespace transfold::link
