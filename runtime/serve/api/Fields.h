// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON body of a request, which is untrusted input: its depth and the size
// of its objects are limited before they are built, and each field is checked
// when it is read.

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// Maximum nesting depth of lists and objects.
constexpr size_t mostNested = 64;
/// Maximum number of names in one object: looking up a name is a linear search.
constexpr size_t mostNames = 1024;

/// Parses a body as JSON. Throws ApiError if it is not JSON or not UTF-8, or
/// exceeds the limits. `look` is called regularly, and may throw.
nlohmann::ordered_json parseBody(std::string_view text,
                                 const std::function<void()> &look = {});

/// Typed access to the fields of an object. A field that is null counts as
/// absent; each function throws ApiError if the value has another type or is
/// out of its range. Names must be constants: the requested names are recorded.
class Fields {
public:
  /// Throws ApiError if the body is not an object.
  explicit Fields(const nlohmann::ordered_json &body);

  /// The value of a field; null if it is absent.
  const nlohmann::ordered_json *find(const char *name) const;
  /// The value of a field of that type; nullopt if it is absent.
  std::optional<double> number(const char *name, double least,
                               double most) const;
  std::optional<int64_t> integer(const char *name, int64_t least,
                                 int64_t most) const;
  std::optional<bool> flag(const char *name) const;
  std::optional<std::string> text(const char *name) const;

  /// All names that have been requested, present or not.
  const std::set<std::string_view> &known() const { return asked; }
  /// Names of the fields that are present.
  std::vector<std::string_view> names() const;

private:
  using IsOfType = bool (nlohmann::ordered_json::*)() const noexcept;

  const nlohmann::ordered_json &body;
  mutable std::set<std::string_view> asked;

  /// The value of a field; null if it is absent. Throws ApiError, which names
  /// the `wanted` type, if it has another type.
  const nlohmann::ordered_json *findAs(const char *name, IsOfType isOfType,
                                       const char *wanted) const;
};

} // namespace transfold::runtime::serve
