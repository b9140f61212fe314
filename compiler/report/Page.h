// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as one HTML file, which needs no other file and no network.

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace transfold::report {

/// The page that shows `data`. Nothing in the data is interpreted as HTML: it
/// is JSON in which every < is an escape, and the page's security policy
/// permits no other script than its own.
std::string pageOf(const nlohmann::ordered_json &data);

} // namespace transfold::report
