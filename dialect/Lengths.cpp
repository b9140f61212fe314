// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between axes and expressions of lengths.

#include "dialect/Lengths.h"

using namespace mlir;
using namespace transfold;

std::optional<Dim> xf::getDim(Attribute axis) {
  if (auto number = getNumber(axis))
    return Dim(*number);
  return Dim::parse(cast<StringAttr>(axis).getValue());
}

Attribute xf::axisOf(MLIRContext *context, const Dim &size) {
  if (auto number = size.asNumber())
    return getAxis(context, *number);
  return StringAttr::get(context, size.str());
}

bool xf::isDerived(Attribute axis) {
  auto name = dyn_cast<StringAttr>(axis);
  return name && isDerivedLength(name.getValue());
}
