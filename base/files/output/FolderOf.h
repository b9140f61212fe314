// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder that contains a file, in the form that system calls accept.

#pragma once

#include <filesystem>
#include <string>

namespace transfold {

/// The folder of `path`, by a name that can be opened ("." for a plain name).
inline std::string folderOf(const std::string &path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

} // namespace transfold
