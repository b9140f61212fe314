// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index functions. Two of them are equal if their texts are: these have the
// names of the indices, but not that of the function.

#include "compiler/spec/values/IndexFunction.h"

namespace transfold::spec {

IndexFunction::IndexFunction(std::string name,
                             std::vector<std::string> indexNames,
                             IndexExprPtr body, unsigned families)
    : functionName(std::move(name)), indexNames(std::move(indexNames)),
      body(std::move(body)), leading(families) {}

double IndexFunction::at(std::span<const int64_t> indices,
                         const Reader &reader) const {
  return evaluate(*body, indices, reader);
}

bool IndexFunction::operator==(const IndexFunction &other) const {
  return leading == other.leading && str() == other.str();
}

std::string IndexFunction::str() const {
  return IndexDefinition{indexNames, body}.str();
}

} // namespace transfold::spec
