// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks, before minutes of work, that the place named by -o is usable and that
// no input would be overwritten.

#pragma once

#include <string>

namespace transfold::driver {

struct CompileOptions;

/// Protects the files that options name as inputs from being replaced by
/// outputs from now on. The files of a model directory are only known when it
/// is opened.
void guardInputs(const CompileOptions &options);
/// Throws std::runtime_error if the folder of `output` does not exist.
void checkFolderOf(const std::string &output);
/// Throws std::runtime_error if `output` is a folder although it should be
/// `what`: "a file's name".
void checkIsNoFolder(const std::string &output, const std::string &what);

} // namespace transfold::driver
