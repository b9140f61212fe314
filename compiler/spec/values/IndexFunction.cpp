// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

std::string IndexFunction::str() const {
  return IndexDefinition{indexNames, body}.str();
}

} // namespace transfold::spec
