// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a server is called. A page of another site can have its own name resolve
// to this machine, and its requests are then same-origin for the browser (DNS
// rebinding); but they say under which name they came.

#ifndef TRANSFOLD_RUNTIME_SERVE_HOSTNAMES_H
#define TRANSFOLD_RUNTIME_SERVE_HOSTNAMES_H

#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

class HostNames {
public:
  /// It answers under any name.
  HostNames() = default;
  /// Under these: names and addresses, with a port or without.
  explicit HostNames(const std::vector<std::string> &names);

  /// Whether it answers a request with this header Host, whatever its port.
  /// Without the header, which browsers always send, it does.
  bool allow(std::string_view host) const;

private:
  std::vector<std::string> known;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HOSTNAMES_H
