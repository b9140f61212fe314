// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether there is a place for what -o names, asked before minutes of work.

#ifndef TRANSFOLD_COMPILER_DRIVER_OUTPUTPLACE_H
#define TRANSFOLD_COMPILER_DRIVER_OUTPUTPLACE_H

#include <string>

namespace transfold::driver {

/// Throws std::runtime_error where the folder of `output` is not there.
void checkFolderOf(const std::string &output);
/// Throws std::runtime_error where `output` is a folder and is to be `what`: "a
/// file's name".
void checkIsNoFolder(const std::string &output, const std::string &what);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_OUTPUTPLACE_H
