// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares names without case and port.

#include "runtime/serve/http/HostNames.h"

#include "runtime/serve/http/HeaderValues.h"

#include <algorithm>

namespace transfold::runtime::serve {

namespace {

/// The host in lower case, without the port and the brackets of an IPv6
/// address.
std::string nameOf(std::string_view host) {
  size_t close = host.starts_with('[') ? host.find(']') : host.npos;
  if (close != host.npos &&
      (close + 1 == host.size() || host[close + 1] == ':'))
    host = host.substr(1, close - 1);
  else if (std::ranges::count(host, ':') == 1)
    host = host.substr(0, host.find(':'));
  return lowered(host);
}

} // namespace

HostNames::HostNames(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    known.push_back(nameOf(name));
}

bool HostNames::allow(std::string_view host) const {
  return known.empty() || host.empty() ||
         std::ranges::find(known, nameOf(host)) != known.end();
}

} // namespace transfold::runtime::serve
