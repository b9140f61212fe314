// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms with files: multipart/form-data, RFC 7578.

#pragma once

#include "runtime/serve/http/Http.h"

#include <optional>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// The parts of a form in order; nullopt if the body is not a form, is
/// incomplete, or has more than `mostParts` parts. `contentType` contains the
/// boundary.
std::optional<std::vector<HttpPart>>
readForm(std::string_view body, std::string_view contentType, size_t mostParts);

} // namespace transfold::runtime::serve
