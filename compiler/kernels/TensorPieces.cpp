// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention on a processor is made in pieces: strips of L queries.
//
//   scores(m, n, h, s), weights(m, n, h, s), …    strip s: rows s L … s L + L -
//   1 result(c, n, h) = mixture(c, n, h, n / L)
//
// With the strip as an argument of every function, loops over keys have bounds
// that depend on it, in whole blocks of keys:
//
//   for block with begin(s) <= block < end(s)
//
// They come from the mask: what no row of the strip sees is not computed. That
// is exact, since all weights of such a key are 0 and no maximum takes its
// score. Within the blocks the mask decides.

#include "compiler/kernels/Tensor.h"

using namespace Halide;

namespace transfold::kernels {

void AlgorithmBuilder::limitKeys(int strip, KeyBound from, KeyBound to) {
  limits = {strip, std::move(from), std::move(to)};
}

void AlgorithmBuilder::beginPieces(const Axis &rows, const Axis &keys) {
  if (!limits || isOnDevice)
    return;
  Var strip("strip");
  piece = {strip, Expr(), Expr()};
  Expr first = strip * limits->strip;
  Expr last = min(first + limits->strip, extent(rows)) - 1;
  if (limits->from)
    piece->begin = max(limits->from(first, last), 0) / lanes;
  if (limits->to)
    piece->end =
        (min(limits->to(first, last), extent(keys)) + (lanes - 1)) / lanes;
}

void AlgorithmBuilder::readSeenOnly(RDom &domain, const Expr &block) const {
  if (piece && piece->begin.defined())
    domain.where(block >= piece->begin);
  if (piece && piece->end.defined())
    domain.where(block < piece->end);
}

void AlgorithmBuilder::defineOverKeys(
    Func &function, const std::vector<Var> &indices, const Axis &keys,
    const std::function<Expr(const Indices &)> &entry) const {
  Indices place(indices.begin(), indices.end());
  if (!piece) {
    function(variablesOf(indices)) = entry(place);
    return;
  }
  function(variablesOf(indices)) = undef<float>();
  RDom over(0, lanes, 0, (extent(keys) + (lanes - 1)) / lanes,
            function.name() + "_keys");
  readSeenOnly(over, over.y);
  place.back() = over.y * lanes + over.x;
  function(argumentsOf(place)) = entry(place);
}

} // namespace transfold::kernels
