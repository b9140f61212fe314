// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention on a processor is made in pieces. They are strips of L queries,
//
//   scores(m, n, h, s), weights(m, n, h, s), …    rows s L … (s + 1) L - 1
//   result(c, n, h) = mixture(c, n, h, n / L)
//
// or parts of P keys, for all queries: TensorParts.cpp. Both make their sums in
// the same parts and lanes, so that a row has the same bits whichever makes it.
// With the piece as an argument of every function, loops over keys have bounds
// that depend on it, in whole blocks of keys:
//
//   for block with begin(s) <= block < end(s)
//
// They come from the mask: what no row of the piece sees is not computed. That
// is exact, since all weights of such a key are 0 and no maximum takes its
// score. Within the blocks the mask decides.

#include "compiler/kernels/algorithm/Tensor.h"

using namespace Halide;

namespace transfold::kernels {

/// Keys as blocks of `size`, the last of which may not be whole.
static Expr blocksOf(const Expr &keys, int size) {
  return (keys + (size - 1)) / size;
}

void AlgorithmBuilder::limitKeys(KeyLimits keyLimits) {
  limits = std::move(keyLimits);
  if (limits->part % lanes)
    throw std::runtime_error("parts of " + std::to_string(limits->part) +
                             " keys are no whole blocks of " +
                             std::to_string(lanes));
}

bool AlgorithmBuilder::hasPartsAsTasks() const {
  return limits && limits->part && !limits->strip && !isOnDevice;
}

void AlgorithmBuilder::beginPieces(const Axis &rows, const Axis &keys) {
  if (!limits || isOnDevice)
    return;
  piece = {Var(hasPartsAsTasks() ? "part" : "strip"), Expr(), Expr()};
  Expr first = 0, last = extent(rows) - 1;
  if (!hasPartsAsTasks()) {
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

int AlgorithmBuilder::sumsAcross(const Axis &channels) const {
  int across = piece ? std::max(limits->across, 1) : 1;
  while (channels.size % across)
    across /= 2;
  return across;
}

std::function<Expr(const Indices &)>
AlgorithmBuilder::inTree(const Func &function, int width) const {
  std::optional<Piece> own = piece;
  return [=](const Indices &i) -> Expr {
    std::vector<Expr> arguments = innermostFirst(i), sums;
    if (own)
      arguments.push_back(own->index);
    arguments.emplace_back();
    for (int k = 0; k < width; ++k) {
      arguments.back() = k;
      sums.push_back(function(arguments));
    }
    for (int half = width / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k)
        sums[k] += sums[k + half];
    return sums[0];
  };
}

Expr AlgorithmBuilder::countOfParts(const Axis &keys) const {
  return blocksOf(extent(keys), limits->part);
}

void AlgorithmBuilder::limitToSeen(RDom &domain, const Expr &block) const {
  if (piece && piece->begin.defined())
    domain.where(block >= piece->begin);
  if (piece && piece->end.defined())
    domain.where(block < piece->end);
}

RDom AlgorithmBuilder::seenParts(const Axis &keys,
                                 const std::string &name) const {
  int blocks = limits->part / lanes;
  RDom parts(0, countOfParts(keys), name);
  if (piece && piece->begin.defined())
    parts.where(parts * blocks + (blocks - 1) >= piece->begin);
  if (piece && piece->end.defined())
    parts.where(parts * blocks < piece->end);
  return parts;
}

RDom AlgorithmBuilder::blocksOfPiece(const Axis &keys, const std::string &name,
                                     const Expr &part, bool withKeys) const {
  Expr count = part.defined() ? Expr(limits->part / lanes)
                              : blocksOf(extent(keys), lanes);
  RDom domain =
      withKeys ? RDom(0, lanes, 0, count, name) : RDom(0, count, name);
  Expr block = withKeys ? Expr(domain.y) : Expr(domain.x);
  if (part.defined())
    block = part * (limits->part / lanes) + block;
  limitToSeen(domain, block);
  return domain;
}

// The place in the part first: Halide's simplifier takes the part away again.
Expr AlgorithmBuilder::keyAt(const Expr &part, const Expr &number,
                             const Expr &lane) const {
  Expr key = number * lanes + lane;
  return part.defined() ? key + part * limits->part : key;
}

// Where parts of keys are tasks, a function over keys has those of its part.
std::function<Expr(const Indices &)>
AlgorithmBuilder::entriesOverKeys(const Func &function) const {
  auto entries = entriesOf(function);
  if (!piece || !hasPartsAsTasks())
    return entries;
  Expr first = piece->index * limits->part;
  return [=](const Indices &i) -> Expr {
    Indices place = i;
    place.back() = Internal::simplify(place.back() - first);
    return entries(place);
  };
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
  Expr part = hasPartsAsTasks() ? Expr(piece->index) : Expr();
  RDom over =
      blocksOfPiece(keys, function.name() + "_keys", part, /*withKeys=*/true);
  Indices own = place;
  place.back() = keyAt(part, over.y, over.x);
  own.back() = keyAt(Expr(), over.y, over.x);
  function(argumentsOf(own)) = entry(place);
}

} // namespace transfold::kernels
