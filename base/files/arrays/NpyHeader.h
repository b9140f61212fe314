// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an .npy file: a Python dictionary with exactly three keys.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transfold {

/// The three values of the header.
struct NpyHeader {
  std::string descr; // "<f4"
  /// Whether the first index varies fastest in memory.
  bool fortranOrder = false;
  /// At most 32 extents, each at least 0.
  std::vector<int64_t> shape;
};

/// Parses the header. Throws Error; messages begin with `path`.
NpyHeader parseNpyHeader(std::string_view text, const std::string &path);

} // namespace transfold
