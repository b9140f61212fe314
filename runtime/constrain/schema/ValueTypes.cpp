// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/ValueTypes.h"

#include <cmath>
#include <utility>

namespace transfold::runtime::inline constrain {

/// The types of one name of "type".
static ValueTypes typesNamed(const SchemaDocument &document, SubschemaId id,
                             const SchemaJson &name) {
  static constexpr std::pair<std::string_view, ValueTypes> names[] = {
      {"null", nullType},       {"boolean", booleanType},
      {"integer", integerType}, {"number", integerType | fractionType},
      {"string", stringType},   {"array", arrayType},
      {"object", objectType}};
  if (name.is_string())
    for (auto [each, types] : names)
      if (name.get_ref<const std::string &>() == each)
        return types;
  document.refuse(id, "type",
                  "must be null, boolean, integer, number, string, array, "
                  "object, or a list of these");
}

ValueTypes typesOf(const SchemaDocument &document,
                   std::span<const SubschemaId> all) {
  ValueTypes types = anyType;
  for (SubschemaId id : all) {
    const SchemaJson *given = document.find(id, "type");
    if (!given)
      continue;
    ValueTypes mine = 0;
    if (given->is_array())
      for (const SchemaJson &name : *given)
        mine |= typesNamed(document, id, name);
    else
      mine = typesNamed(document, id, *given);
    types &= mine;
  }
  return types;
}

ValueType typeOf(const SchemaJson &value) {
  switch (value.type()) {
  case SchemaJson::value_t::null:
    return nullType;
  case SchemaJson::value_t::boolean:
    return booleanType;
  case SchemaJson::value_t::number_integer:
  case SchemaJson::value_t::number_unsigned:
    return integerType;
  case SchemaJson::value_t::number_float:
    return std::floor(value.get<double>()) == value.get<double>()
               ? integerType
               : fractionType;
  case SchemaJson::value_t::string:
    return stringType;
  case SchemaJson::value_t::array:
    return arrayType;
  default:
    return objectType;
  }
}

} // namespace transfold::runtime::inline constrain
