// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/api/ConstraintFields.h"

#include "base/Error.h"
#include "runtime/constrain/Constraint.h"
#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/OtherFields.h"

#include <fmt/format.h>

namespace transfold::runtime::serve {

using nlohmann::ordered_json;

namespace {

constexpr const char *field = "response_format";

/// The field of the format that its type needs. Throws ApiError.
const ordered_json &need(const Fields &format, const char *name,
                         const char *type) {
  const ordered_json *value = format.find(name);
  if (!value)
    throw badRequest(
        fmt::format("'response_format' of type '{}' needs '{}'.", type, name),
        field);
  return *value;
}

std::string needText(const Fields &format, const char *name, const char *type) {
  const ordered_json &value = need(format, name, type);
  if (!value.is_string())
    throw badRequest(
        fmt::format("'{}' of 'response_format' must be a string.", name),
        field);
  return value.get<std::string>();
}

/// {"name": …, "schema": …, "strict": …}: an answer is always strict.
std::shared_ptr<const Grammar> readSchema(const ordered_json &given) {
  if (!given.is_object())
    throw badRequest("'json_schema' of 'response_format' must be an object "
                     "with a 'schema'.",
                     field);
  const Fields fields(given);
  const ordered_json &schema = need(fields, "schema", "json_schema");
  (void)fields.text("name");
  (void)fields.text("description");
  (void)fields.flag("strict");
  for (std::string_view name : fields.names())
    if (!fields.known().contains(name))
      throw unknownField(name, fields.known());
  return schemaConstraint(schema);
}

std::shared_ptr<const Grammar> readFormat(const Fields &format) {
  const std::string type = format.text("type").value_or("");
  if (type == "json_object")
    return objectConstraint();
  if (type == "json_schema")
    return readSchema(need(format, "json_schema", "json_schema"));
  if (type == "regex")
    return regexConstraint(needText(format, "regex", "regex"));
  if (type == "grammar")
    return grammarConstraint(needText(format, "grammar", "grammar"));
  if (type == "text")
    return nullptr;
  throw badRequest("'type' of 'response_format' must be text, json_object, "
                   "json_schema, regex or grammar.",
                   field);
}

} // namespace

std::shared_ptr<const Grammar> readConstraint(const Fields &fields) {
  const ordered_json *given = fields.find(field);
  if (!given)
    return nullptr;
  if (!given->is_object())
    throw badRequest("'response_format' must be an object.", field);
  const Fields format(*given);
  try {
    auto constraint = readFormat(format);
    for (std::string_view name : format.names())
      if (!format.known().contains(name))
        throw unknownField(name, format.known());
    return constraint;
  } catch (const Error &error) {
    throw badRequest(fmt::format("'response_format': {}.", error.what()),
                     field);
  }
}

} // namespace transfold::runtime::serve
