// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of header fields, as RFC 9110 has them: names are the same in any
// case, and spaces and parameters may stand where it allows them.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_HEADERVALUES_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_HEADERVALUES_H

#include <optional>
#include <string>
#include <string_view>

namespace transfold::runtime::serve {

/// Of ASCII letters; the others stay.
std::string lowered(std::string_view text);
/// Without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// "Multipart/Form-Data ; boundary=x" is "multipart/form-data".
std::string mediaTypeOf(std::string_view contentType);
/// What a parameter of a media type or of a Content-Disposition says, also in
/// quotes. `name` in small letters.
std::optional<std::string> parameterOf(std::string_view value,
                                       std::string_view name);

/// "bearer  KEY" is KEY; nothing where the scheme is another one.
std::optional<std::string_view> bearerOf(std::string_view authorization);

/// Whether a header Host may have this value: a name or an address, maybe with
/// a port, or nothing at all.
bool isHost(std::string_view host);

/// Where a request goes to.
struct Target {
  std::string path; // without what stands behind "?", %2F as "/"
  /// Where the target names the host itself, which counts more than the field.
  std::optional<std::string> host = {};
};
/// "/path", "http://host/path" or "*"; nothing where it is neither.
std::optional<Target> targetOf(std::string_view text);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_HEADERVALUES_H
