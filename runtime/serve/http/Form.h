// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms with files in them: multipart/form-data, RFC 7578.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_FORM_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_FORM_H

#include "runtime/serve/Http.h"

#include <optional>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// The parts of a body, in their order; nothing where it is no such form, has
/// no end, or more parts than that. `contentType` says what is between them.
std::optional<std::vector<HttpPart>>
readForm(std::string_view body, std::string_view contentType, size_t mostParts);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_FORM_H
