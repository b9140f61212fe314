// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether there is a place for what -o names, and nothing there that would be
// missed, asked before minutes of work.

#ifndef TRANSFOLD_COMPILER_DRIVER_OUTPUTPLACE_H
#define TRANSFOLD_COMPILER_DRIVER_OUTPUTPLACE_H

#include <string>

namespace transfold::driver {

struct CompileOptions;

/// What options name as inputs is not replaced by an output, from here on. Of a
/// model that is a directory, its files are known when it is opened.
void guardInputs(const CompileOptions &options);
/// Throws std::runtime_error where the folder of `output` is not there.
void checkFolderOf(const std::string &output);
/// Throws std::runtime_error where `output` is a folder and is to be `what`: "a
/// file's name".
void checkIsNoFolder(const std::string &output, const std::string &what);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_OUTPUTPLACE_H
