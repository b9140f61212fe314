// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares, for each weight, the loss by rounding scales with the loss by
// rounding codes. Weights of tiny or huge elements keep their format.

#include "compiler/calibrate/ScaleRange.h"

#include "base/numeric/BlockFormat.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/RoundedNumbers.h"
#include "dialect/weights/Storage.h"

#include <fmt/format.h>
#include <mlir/IR/Threading.h>

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace transfold;
using reference::ScaleLoss;

namespace {
/// A member of a weight with its result, or with the error that occurred.
struct Member {
  xf::StoredOp stored;
  int64_t number;
  ScaleLoss loss;
  std::string problem;
};
} // namespace

/// Whether the scales lose more than the codes: a code of b bits has an error
/// of about 2^-b of the range.
static bool losesMore(const ScaleLoss &loss, const BlockFormat &format) {
  const double own = std::ldexp(1.0, -(format.low.bits + format.high.bits));
  return loss.cutOff || loss.lost > own * own * loss.all;
}

/// The message for a weight that is not rounded.
static std::string describe(xf::StoredOp stored, const ScaleLoss &loss) {
  const std::string name = stored.getSource()->getName().str(),
                    format = xf::stringifyFormat(*stored.getRounded()).str();
  const std::string beginning =
      fmt::format("'{}' stays as it is: its elements are at most {:.1e}, and ",
                  name, loss.largest);
  if (loss.cutOff)
    return beginning + fmt::format("the scales of {}, which are float16, end "
                                   "at 65504",
                                   format);
  return beginning +
         fmt::format("with the scales of {}, which are float16, they would be "
                     "off by {:.0f} %",
                     format,
                     100 * std::min(1.0, std::sqrt(loss.lost / loss.all)));
}

/// The members of all weights that are to be rounded to blocks.
static std::vector<Member> membersOf(ModuleOp module) {
  std::vector<Member> members;
  for (auto stored : module.getOps<xf::StoredOp>())
    if (stored.getRounded() && xf::isInBlocks(*stored.getRounded()))
      for (int64_t k = 0; k < stored.getMembers(); ++k)
        members.push_back({stored, k, {}, {}});
  return members;
}

std::vector<std::string>
calibrate::keepBeyondScales(ModuleOp module,
                            const checkpoint::Checkpoint &checkpoint) {
  std::vector<Member> members = membersOf(module);
  parallelFor(module.getContext(), 0, members.size(), [&](size_t k) {
    Member &member = members[k];
    try {
      member.loss =
          reference::scaleLossOf(member.stored, member.number, checkpoint);
    } catch (const std::exception &error) {
      member.problem = error.what();
    }
  });
  std::vector<std::string> lines;
  for (const Member &member : members) {
    if (!member.problem.empty())
      throw reference::InterpreterError(member.problem);
    xf::StoredOp stored = member.stored;
    if (!stored.getRounded() ||
        !losesMore(member.loss, *xf::blockFormatOf(*stored.getRounded())))
      continue;
    lines.push_back(describe(stored, member.loss));
    stored.removeRoundedAttr();
    stored.removeApartAttr();
  }
  return lines;
}
