// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/DescribeWidened.h"

#include "dialect/Dialect.h"
#include "dialect/Labels.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;
using namespace transfold;

static bool isScaledInteger(xf::Format format) {
  return format == xf::Format::Int8_Row || format == xf::Format::Int8_Scaled ||
         format == xf::Format::Int16_Scaled;
}

std::string driver::describeWidened(ModuleOp module) {
  std::map<xf::Format, int64_t> widened;
  for (auto stored : module.getOps<xf::StoredOp>())
    if (stored.getSource() && stored.getPlace() &&
        isScaledInteger(stored.getSource()->getFormat()) &&
        stored.getPlace()->getStorage().getFormat() == xf::Format::F32)
      widened[stored.getSource()->getFormat()] += stored.getMembers();
  std::string text;
  for (auto [format, count] : widened)
    text += fmt::format("; {} {} of {} became float32", count,
                        count == 1 ? "matrix" : "matrices",
                        xf::stringifyFormat(format).str());
  return text;
}
