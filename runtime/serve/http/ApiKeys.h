// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// API keys: a request is allowed if it has one of the keys in a file.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// The accepted keys; immutable after construction.
class ApiKeys {
public:
  /// All requests are allowed.
  ApiKeys() = default;
  /// Reads a file with one key per line. Throws Error, also if the file has no
  /// keys.
  static ApiKeys read(const std::string &path);

  bool areNeeded() const { return !keys.empty(); }
  /// Whether the value of the header Authorization, "Bearer KEY", has one of
  /// the keys. Takes the same time for a nearly correct key as for any other.
  bool allow(std::string_view authorization) const;

private:
  std::vector<std::string> keys;
};

} // namespace transfold::runtime::serve
