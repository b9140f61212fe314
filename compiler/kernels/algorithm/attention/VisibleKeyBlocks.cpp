// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of keys that an attention on a device iterates over: those that the
// mask may let a row see, for rows a … b the parts p with
//
//   ⌊from(a, b) / 64⌋ <= p < ⌈to(a, b) / 64⌉
//
// This is exact: all weights of a part that is left out are 0, and no maximum
// includes its scores. Parts begin at multiples of 64 keys wherever rows begin,
// so that their sums are the same for all variants of a kernel.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"

using namespace Halide;

namespace transfold::kernels {

// The largest number of keys between the first and the last that a strip of
// `strip` rows sees: a constant if the mask is a window, else nullopt. A strip
// of fewer rows sees no more keys.
static std::optional<int> widthOfWindow(const KeyLimits &limits) {
  if (!limits.from || !limits.to)
    return std::nullopt;
  Expr first = Var("first"), last = first + (limits.strip - 1);
  Expr width =
      Internal::simplify(limits.to(first, last) - limits.from(first, last));
  auto number = Internal::as_const_int(width);
  return number && *number > 0 && *number < (1 << 30)
             ? std::optional(static_cast<int>(*number))
             : std::nullopt;
}

// The loop over the parts that the rows of strip `strip` may see, and the part
// of each iteration: parts are counted from the first, whose index is then not
// a condition of the loop.
std::pair<RDom, Expr> AttentionBuilder::seenParts(const Axis &rows,
                                                  const Var &strip) const {
  const int size = pieces.block();
  Expr rounds = pieces.countOfBlocks(pieces.countOfKeys());
  if (auto width = widthOfWindow(limits))
    rounds = min(rounds, *width / size + 2);
  RDom domain(0, rounds, context.uniqueName("parts"));
  Expr first = strip * limits.strip;
  Expr last = min(first + limits.strip, context.extent(rows)) - 1;
  Expr part = domain.x, count = pieces.countOfKeys();
  if (limits.from)
    part += max(limits.from(first, last), 0) / size;
  if (limits.to)
    count = min(limits.to(first, last), count);
  if (limits.from || limits.to)
    domain.where(part < pieces.countOfBlocks(count));
  return {domain, part};
}

// The loop over the parts that few rows may see. All rows begin with the same
// part.
RDom AttentionBuilder::partsOfFewRows(const Axis &rows) const {
  const int size = pieces.block();
  Expr last = context.extent(rows) - 1, keys = pieces.countOfKeys();
  Expr from = limits.from ? clamp(limits.from(0, last), 0, keys - 1) / size : 0;
  Expr to = limits.to ? min(limits.to(0, last), keys) : keys;
  return {from, max(pieces.countOfBlocks(to) - from, 1),
          context.uniqueName("parts")};
}

} // namespace transfold::kernels
