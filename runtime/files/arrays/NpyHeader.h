// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an .npy file: a Python dictionary with exactly three keys.

#ifndef TRANSFOLD_RUNTIME_FILES_ARRAYS_NPYHEADER_H
#define TRANSFOLD_RUNTIME_FILES_ARRAYS_NPYHEADER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

struct NpyHeader {
  std::string descr; // "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header. Throws Error; messages begin with `path`.
NpyHeader parseNpyHeader(std::string_view text, const std::string &path);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_ARRAYS_NPYHEADER_H
