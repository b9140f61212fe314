// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function records the requested name, from which checkOtherFields()
// derives which fields are unknown.

#include "runtime/serve/api/Fields.h"

#include "base/Error.h"
#include "base/text/JsonText.h"
#include "runtime/serve/api/ApiError.h"

#include <fmt/format.h>

namespace transfold::runtime::serve {

using nlohmann::ordered_json;

namespace {

/// Throws ApiError if a value is not in its range.
template <typename Number>
void checkRange(const char *name, Number value, Number least, Number most) {
  if (!(value >= least && value <= most)) // also rejects NaN
    throw badRequest(
        fmt::format("'{}' must be {} to {}, not {}.", name, least, most, value),
        name);
}

/// The number in `value`, if it is not null. Throws ApiError if the number is
/// not in its range.
template <typename Number>
std::optional<Number> inRange(const ordered_json *value, const char *name,
                              Number least, Number most) {
  if (!value)
    return std::nullopt;
  auto number = value->get<Number>();
  checkRange(name, number, least, most);
  return number;
}

} // namespace

ordered_json parseBody(std::string_view text,
                       const std::function<void()> &look) {
  try {
    return parseJsonText(
        text, {.depth = mostNested, .names = mostNames, .look = look});
  } catch (const Error &error) {
    throw badRequest(fmt::format("The body {}.", error.what()));
  }
}

Fields::Fields(const ordered_json &body) : body(body) {
  if (!body.is_object())
    throw badRequest(fmt::format("The body must be a JSON object, not {}.",
                                 body.type_name()));
}

const ordered_json *Fields::find(const char *name) const {
  asked.insert(name);
  auto found = body.find(name);
  return found == body.end() || found->is_null() ? nullptr : &*found;
}

const ordered_json *Fields::findAs(const char *name, IsOfType isOfType,
                                   const char *wanted) const {
  const ordered_json *value = find(name);
  if (value && !(value->*isOfType)())
    throw badRequest(fmt::format("'{}' must be {}, not {}.", name, wanted,
                                 value->type_name()),
                     name);
  return value;
}

std::vector<std::string_view> Fields::names() const {
  std::vector<std::string_view> names;
  for (const auto &[name, value] : body.items())
    if (!value.is_null())
      names.push_back(name);
  return names;
}

std::optional<double> Fields::number(const char *name, double least,
                                     double most) const {
  const ordered_json *value =
      findAs(name, &ordered_json::is_number, "a number");
  return inRange(value, name, least, most);
}

std::optional<int64_t> Fields::integer(const char *name, int64_t least,
                                       int64_t most) const {
  const ordered_json *value =
      findAs(name, &ordered_json::is_number_integer, "an integer");
  // Values above 2^63 would become negative.
  if (value && value->is_number_unsigned() &&
      value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    checkRange(name, value->get<double>(), static_cast<double>(least),
               static_cast<double>(most));
  return inRange(value, name, least, most);
}

std::optional<bool> Fields::flag(const char *name) const {
  const ordered_json *value =
      findAs(name, &ordered_json::is_boolean, "true or false");
  return value ? std::optional(value->get<bool>()) : std::nullopt;
}

std::optional<std::string> Fields::text(const char *name) const {
  const ordered_json *value =
      findAs(name, &ordered_json::is_string, "a string");
  return value ? std::optional(value->get<std::string>()) : std::nullopt;
}

} // namespace transfold::runtime::serve
