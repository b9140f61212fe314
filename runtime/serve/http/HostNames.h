// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host names of the server. A malicious page can let its own name resolve
// to this machine, so that its requests are same-origin for the browser (DNS
// rebinding); but the header Host of these requests has that name.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// The accepted names; immutable after construction.
class HostNames {
public:
  /// Any name is accepted.
  HostNames() = default;
  /// Accepts these names and addresses, given with or without a port.
  explicit HostNames(const std::vector<std::string> &names);

  /// Whether a request with this header Host is accepted, regardless of its
  /// port. Requests without the header are accepted; browsers always send it.
  bool allow(std::string_view host) const;

private:
  std::vector<std::string> known;
};

} // namespace transfold::runtime::serve
