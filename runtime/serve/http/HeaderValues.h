// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of header fields (RFC 9110): names are case-insensitive, and optional
// spaces and parameters are accepted.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace transfold::runtime::serve {

/// Converts ASCII letters to lower case; other bytes are kept.
std::string lowered(std::string_view text);
/// Removes spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// The media type without parameters, in lower case: "multipart/form-data" for
/// "Multipart/Form-Data ; boundary=x".
std::string mediaTypeOf(std::string_view contentType);
/// The value of a parameter of a media type or of a Content-Disposition, quoted
/// or not; nullopt if it is absent. `name` must be in lower case.
std::optional<std::string> parameterOf(std::string_view value,
                                       std::string_view name);

/// KEY of "bearer  KEY"; nullopt for another scheme.
std::optional<std::string_view> bearerOf(std::string_view authorization);

/// Whether a header Host may have this value: a name or an address, optionally
/// with a port, or nothing.
bool isHost(std::string_view host);

/// The target of a request.
struct Target {
  std::string path; // without the query, percent-decoded (%2F as "/")
  /// The host in an absolute target; it takes precedence over the header Host.
  std::optional<std::string> host = {};
};
/// Parses "/path", "http://host/path" or "*"; nullopt for anything else.
std::optional<Target> targetOf(std::string_view text);

} // namespace transfold::runtime::serve
