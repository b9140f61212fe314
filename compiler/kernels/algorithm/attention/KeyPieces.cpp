// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of keys as Halide expressions: begin and end of a piece in blocks,
// from the mask's limits for its first and last row.

#include "compiler/kernels/algorithm/attention/KeyPieces.h"

#include <stdexcept>

using namespace Halide;

namespace transfold::kernels {

/// Number of blocks of `size` keys, the last of which may be partial.
static Expr blocksOf(const Expr &keys, int size) {
  return (keys + (size - 1)) / size;
}

KeyPieces::KeyPieces(Expr keys, int lanes)
    : keys(std::move(keys)), lanes(lanes) {}

KeyPieces::KeyPieces(const Expr &rows, Expr allKeys, int lanes,
                     KeyLimits keyLimits)
    : keys(std::move(allKeys)), lanes(lanes), limits(std::move(keyLimits)) {
  if (limits.part % lanes)
    throw std::runtime_error("parts of " + std::to_string(limits.part) +
                             " keys are not whole blocks of " +
                             std::to_string(lanes));
  bool inStrips = !limits.part || limits.strip;
  piece = Var(inStrips ? "strip" : "part");
  Expr first = 0, last = rows - 1;
  if (inStrips) {
    first = *piece * limits.strip;
    last = min(first + limits.strip - 1, last);
  }
  if (limits.from)
    begin = max(limits.from(first, last), 0) / lanes;
  if (limits.to)
    end = blocksOf(min(limits.to(first, last), keys), lanes);
  else if (limits.part)
    end = blocksOf(keys, lanes);
}

int KeyPieces::sumsAcross(int64_t channels) const {
  int across = piece ? std::max(limits.across, 1) : 1;
  while (channels % across)
    across /= 2;
  return across;
}

Expr KeyPieces::countOfParts() const { return blocksOf(keys, limits.part); }

Expr KeyPieces::countOfBlocks(const Expr &ofKeys) const {
  return blocksOf(ofKeys, lanes);
}

// The position in the part is the first summand, so that Halide's simplifier
// can cancel the offset of the part.
Expr KeyPieces::keyAt(const Expr &part, const Expr &number,
                      const Expr &lane) const {
  Expr key = number * lanes + lane;
  return part.defined() ? key + part * limits.part : key;
}

Expr KeyPieces::pairAt(const Expr &part, const Expr &number,
                       const Expr &lane) const {
  Expr pair = number * pairsOfBlock() + lane;
  return part.defined() ? pair + part * (limits.part / 2) : pair;
}

void KeyPieces::limitToSeen(RDom &domain, const Expr &block) const {
  if (begin.defined())
    domain.where(block >= begin);
  if (end.defined())
    domain.where(block < end);
}

RDom KeyPieces::seenParts(const std::string &name) const {
  int blocks = limits.part / lanes;
  RDom parts(0, countOfParts(), name);
  if (begin.defined())
    parts.where(parts * blocks + (blocks - 1) >= begin);
  if (end.defined())
    parts.where(parts * blocks < end);
  return parts;
}

RDom KeyPieces::blocksOfPiece(const std::string &name, const Expr &part,
                              int perBlock) const {
  Expr count =
      part.defined() ? Expr(limits.part / lanes) : blocksOf(keys, lanes);
  RDom domain =
      perBlock ? RDom(0, perBlock, 0, count, name) : RDom(0, count, name);
  Expr block = perBlock ? Expr(domain.y) : Expr(domain.x);
  if (part.defined())
    block = part * (limits.part / lanes) + block;
  limitToSeen(domain, block);
  return domain;
}

void KeyPieces::define(Func &function, Type type, int perBlock,
                       const std::vector<Var> &indices,
                       const Entry &entry) const {
  Indices place(indices.begin(), indices.end());
  if (!piece) {
    function(innermostFirst(indices)) = entry(place);
    return;
  }
  function(innermostFirst(indices, piece)) = undef(type);
  Expr part = areParts() ? Expr(*piece) : Expr();
  RDom over = blocksOfPiece(function.name() + "_keys", part, perBlock);
  Indices own = place;
  place.back() = keyAt(part, over.y, over.x);
  own.back() = over.y * perBlock + over.x;
  function(innermostFirst(own, piece)) = entry(place);
}

Entry KeyPieces::entries(const Func &function, int perBlock) const {
  Entry entries = entriesOf(function, piece);
  if (!areParts())
    return entries;
  Expr first = *piece * (limits.part / lanes * perBlock);
  return [=](const Indices &i) -> Expr {
    Indices place = i;
    place.back() = Internal::simplify(place.back() - first);
    return entries(place);
  };
}

} // namespace transfold::kernels
