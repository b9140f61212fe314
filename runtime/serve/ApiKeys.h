// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who may ask: those who know one of the keys of a file.

#ifndef TRANSFOLD_RUNTIME_SERVE_APIKEYS_H
#define TRANSFOLD_RUNTIME_SERVE_APIKEYS_H

#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

class ApiKeys {
public:
  /// Everybody may.
  ApiKeys() = default;
  /// A key a line. Throws Error, also where the file has none.
  static ApiKeys read(const std::string &path);

  bool areNeeded() const { return !keys.empty(); }
  /// Whether the value of the header Authorization, "Bearer KEY", has one of
  /// them. Takes as long for a key that is nearly right as for any other.
  bool allow(std::string_view authorization) const;

private:
  std::vector<std::string> keys;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_APIKEYS_H
