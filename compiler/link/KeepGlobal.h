// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_LINK_KEEPGLOBAL_H
#define TRANSFOLD_COMPILER_LINK_KEEPGLOBAL_H

#include <string>

namespace transfold::link {

/// The object file with everything local that it defines, but for `symbol`,
/// which is called `name`: two such objects with the same functions fit into
/// one executable. Throws LinkError.
std::string keepGlobal(const std::string &object, const std::string &symbol,
                       const std::string &name);

} // namespace transfold::link

#endif // TRANSFOLD_COMPILER_LINK_KEEPGLOBAL_H
