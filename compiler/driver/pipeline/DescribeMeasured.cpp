// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attribute that the assignment of schedules leaves in a module.

#include "compiler/driver/pipeline/DescribeMeasured.h"

#include "compiler/kernels/schedule/tune/MeasuredAttr.h"

#include <fmt/format.h>
#include <mlir/IR/BuiltinAttributes.h>

using namespace mlir;
using namespace transfold;

std::string driver::describeMeasured(ModuleOp module) {
  auto file = module->getAttrOfType<DictionaryAttr>(kernels::schedulesAttrName);
  if (!file)
    return "";
  const int64_t known = file.getAs<IntegerAttr>("known").getInt(),
                used = file.getAs<IntegerAttr>("used").getInt();
  const std::string name = file.getAs<StringAttr>("file").str();
  if (used == 0)
    return fmt::format("{} has no schedule for this model and processor; "
                       "`transfold tune` measures them",
                       name);
  return fmt::format("{} of {} schedules of {} used{}", used, known, name,
                     used < known ? "; the others are for other kernels" : "");
}
