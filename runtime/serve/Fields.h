// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of a request, which comes from anywhere: its depth and its objects
// are limited before they are built, and each field is checked as it is read.

#ifndef TRANSFOLD_RUNTIME_SERVE_FIELDS_H
#define TRANSFOLD_RUNTIME_SERVE_FIELDS_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::serve {

/// Lists and objects within each other.
constexpr size_t mostNested = 64;
/// Names of one object: to find one takes a look at all before it.
constexpr size_t mostNames = 1024;

/// The text of a body as JSON. Throws ApiError where it is not JSON, also where
/// its bytes are not UTF-8, or beyond the limits.
/// `look` is called now and then, and may throw.
nlohmann::ordered_json parseBody(std::string_view text,
                                 const std::function<void()> &look = {});

/// The fields of an object. What is null counts as absent; each function throws
/// ApiError where the value has another type, or is out of its range. Names are
/// constants: which ones were asked for is kept.
class Fields {
public:
  /// Throws ApiError where the body is no object.
  explicit Fields(const nlohmann::ordered_json &body);

  const nlohmann::ordered_json *find(const char *name) const;
  std::optional<double> number(const char *name, double least,
                               double most) const;
  std::optional<int64_t> integer(const char *name, int64_t least,
                                 int64_t most) const;
  std::optional<bool> flag(const char *name) const;
  std::optional<std::string> text(const char *name) const;

  /// Those that were asked for, there or not.
  const std::set<std::string_view> &known() const { return asked; }
  /// Those that are there.
  std::vector<std::string_view> names() const;

private:
  const nlohmann::ordered_json &body;
  mutable std::set<std::string_view> asked;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_FIELDS_H
