// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention on a processor is made in pieces. They are strips of L queries,
//
//   scores(m, n, h, s), weights(m, n, h, s), …    rows s L … (s + 1) L - 1
//   result(c, n, h) = mixture(c, n, h, n / L)
//
// or parts of P keys, for all queries: TensorParts.cpp. With the piece as an
// argument of every function, loops over keys have bounds that depend on it, in
// whole blocks of keys:
//
//   for block with begin(s) <= block < end(s)
//
// They come from the mask: what no row of the piece sees is not computed. That
// is exact, since all weights of such a key are 0 and no maximum takes its
// score. Within the blocks the mask decides.

#include "compiler/kernels/Tensor.h"

using namespace Halide;

namespace transfold::kernels {

/// Keys as blocks of `size`, the last of which may not be whole.
static Expr blocksOf(const Expr &keys, int size) {
  return (keys + (size - 1)) / size;
}

void AlgorithmBuilder::limitKeys(KeyLimits keyLimits) {
  limits = std::move(keyLimits);
}

void AlgorithmBuilder::beginPieces(const Axis &rows, const Axis &keys) {
  if (!limits || isOnDevice)
    return;
  piece = {Var(limits->part ? "part" : "strip"), Expr(), Expr()};
  Expr first = 0, last = extent(rows) - 1;
  if (!limits->part) {
    first = piece->index * limits->strip;
    last = min(first + limits->strip - 1, last);
  }
  if (limits->from)
    piece->begin = max(limits->from(first, last), 0) / lanes;
  if (limits->to)
    piece->end = blocksOf(min(limits->to(first, last), extent(keys)), lanes);
  else if (limits->part)
    piece->end = blocksOf(extent(keys), lanes);
}

RDom AlgorithmBuilder::seenParts(const Axis &rows, const Axis &keys,
                                 const std::string &name) const {
  Expr last = extent(rows) - 1;
  RDom parts(0, blocksOf(extent(keys), limits->part), name);
  if (limits->from)
    parts.where(parts >= max(limits->from(0, last), 0) / limits->part);
  if (limits->to)
    parts.where(parts * limits->part < limits->to(0, last));
  return parts;
}

Expr AlgorithmBuilder::countOfBlocks(const Axis &keys) const {
  return piece && limits->part ? Expr(limits->part / lanes)
                               : blocksOf(extent(keys), lanes);
}

Expr AlgorithmBuilder::seenBlock(RDom &domain, const Expr &number) const {
  if (!piece)
    return number;
  Expr block = number;
  if (limits->part)
    block = piece->index * (limits->part / lanes) + number;
  if (piece->begin.defined())
    domain.where(block >= piece->begin);
  if (piece->end.defined())
    domain.where(block < piece->end);
  return block;
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
  RDom over(0, lanes, 0, countOfBlocks(keys), function.name() + "_keys");
  place.back() = seenBlock(over, over.y) * lanes + over.x;
  function(argumentsOf(place)) = entry(place);
}

} // namespace transfold::kernels
