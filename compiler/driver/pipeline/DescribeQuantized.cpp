// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the roundings of a module.

#include "compiler/driver/pipeline/DescribeQuantized.h"

#include "dialect/Dialect.h"
#include "dialect/Labels.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;
using namespace transfold;

bool driver::hasRoundedProducts(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<xf::RoundOp, xf::QuantizeOp>(op) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string driver::describeQuantized(ModuleOp module) {
  int64_t rounded = 0, largest = 0;
  double numbers = 0, all = 0;
  std::string stays;
  for (auto stored : module.getOps<xf::StoredOp>()) {
    const int64_t own =
        stored.getMembers() * xf::countNumbers(stored.getType());
    all += static_cast<double>(own);
    if (stored.getRounded()) {
      rounded += stored.getMembers();
      numbers += static_cast<double>(own);
    } else if (stored.getSource() && own > largest &&
               !stored.getExactFormat()) {
      largest = own;
      stays = stored.getSource()->getName().str();
    }
  }
  return fmt::format("{} weights quantized, {:.0f} % of all elements", rounded,
                     100 * numbers / std::max(all, 1.0)) +
         (stays.empty()
              ? ""
              : fmt::format("; the largest of the others is {}", stays));
}
