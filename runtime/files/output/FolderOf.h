// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_FILES_OUTPUT_FOLDEROF_H
#define TRANSFOLD_RUNTIME_FILES_OUTPUT_FOLDEROF_H

#include <filesystem>
#include <string>

namespace transfold::runtime {

/// The folder of `path`, by a name that can be opened ("." for a plain name).
inline std::string folderOf(const std::string &path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_OUTPUT_FOLDEROF_H
