// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds weights that take more memory in a program than in their checkpoint.

#include "compiler/driver/pipeline/DescribeWidened.h"

#include "dialect/Dialect.h"
#include "dialect/Labels.h"
#include "dialect/weights/Storage.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;
using namespace transfold;

/// Whether a format has few bits and its values may take more bits in a
/// program.
static bool isOfFewBits(xf::Format format) {
  return format == xf::Format::Int8_Row || format == xf::Format::Int8_Scaled ||
         format == xf::Format::Int16_Scaled || xf::heldIn(format) != format;
}

std::string driver::describeWidened(ModuleOp module) {
  std::map<std::pair<xf::Format, xf::Format>, int64_t> widened;
  for (auto stored : module.getOps<xf::StoredOp>())
    if (stored.getSource() && stored.getPlace() &&
        isOfFewBits(stored.getSource()->getFormat()) && !stored.getRounded()) {
      xf::Format to = stored.getPlace()->getStorage().getFormat();
      if (to == xf::Format::F32 || to == xf::Format::F16)
        widened[{stored.getSource()->getFormat(), to}] += stored.getMembers();
    }
  std::string text;
  for (auto [formats, count] : widened)
    text += fmt::format(
        "; {} {} of {} became {}", count, count == 1 ? "matrix" : "matrices",
        xf::stringifyFormat(formats.first).str(),
        formats.second == xf::Format::F32 ? "float32" : "float16");
  return text;
}
