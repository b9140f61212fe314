// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the types of the results of launches, and their places in the spec.

#include "compiler/driver/pipeline/DescribeStored.h"

#include "dialect/Places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;

/// "bert.xf:12: "; empty if the operation has no place in a spec.
static std::string placeOf(Operation *op) {
  FileLineColLoc file = xf::placeOf(op->getLoc());
  if (!file)
    return "";
  StringRef name = file.getFilename().getValue();
  return fmt::format("{}:{}: ", name.substr(name.rfind('/') + 1).str(),
                     file.getLine());
}

std::vector<std::string> driver::describeStored(ModuleOp module) {
  std::vector<std::string> lines;
  module.walk([&](xf::LaunchOp launch) {
    for (Type type : launch->getResultTypes()) {
      std::vector<std::string> lengths;
      for (Attribute axis : xf::getShape(type))
        if (!xf::getNumber(axis))
          lengths.push_back(xf::printAxis(axis));
      if (lengths.size() < 2)
        continue;
      std::string line = fmt::format(
          "{}values of {} elements are stored for each sequence; only the "
          "scores of an attention, softmax(…) @ V, are not",
          placeOf(launch), fmt::join(lengths, " × "));
      if (!llvm::is_contained(lines, line))
        lines.push_back(line);
    }
  });
  return lines;
}
