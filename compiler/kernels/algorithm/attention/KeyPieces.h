// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention on a processor is computed in pieces. They are either strips of
// L queries,
//
//   scores(m, n, h, s), weights(m, n, h, s), …    rows s L … (s + 1) L - 1
//   result(c, n, h) = mixture(c, n, h, n / L)
//
// or parts of P keys, for all queries: AttentionParts.cpp. Both kinds compute
// their sums in the same parts and lanes, so that a row has the same bits with
// either. The piece is an argument of every function, so that loops over keys
// have bounds that depend on it, in whole blocks of keys:
//
//   for block with begin(s) <= block < end(s)
//
// The bounds come from the mask: keys that no row of the piece sees are not
// computed. This is exact, since all weights of such a key are 0 and no maximum
// includes its score. Within the blocks the mask is applied. On a device there
// is one piece, and it is not an argument.

#pragma once

#include "compiler/kernels/algorithm/tensor/TensorValue.h"

namespace transfold::kernels {

/// A bound of the keys that rows `first` … `last` of an attention may see.
using KeyBound =
    std::function<Halide::Expr(Halide::Expr first, Halide::Expr last)>;

/// How the loops over keys are divided. An attention is computed in strips of
/// `strip` rows or, if that is 0, in parts of keys. Its sums are computed in
/// parts of `part` keys, and its scores as `across` sums, each over every n-th
/// channel; 0 means one sequential sum. A piece reads the keys from `from` up
/// to, but not including, `to`; each may be null. On a device, parts of keys
/// are thread blocks if `shared` is not 0: the number of heads of queries that
/// share keys and values.
struct KeyLimits {
  int strip = 0, part = 0, across = 0;
  KeyBound from = nullptr, to = nullptr;
  int shared = 0;
};

/// The pieces of an attention, and its keys as blocks of `lanes`.
class KeyPieces {
public:
  /// One piece: all of `keys` keys.
  KeyPieces(Halide::Expr keys, int lanes);
  /// Pieces of an attention of `rows` rows and `keys` keys. Throws
  /// std::runtime_error if a part of keys does not consist of whole blocks.
  KeyPieces(const Halide::Expr &rows, Halide::Expr keys, int lanes,
            KeyLimits limits);

  /// The variable of the piece, the last argument of functions; nullopt if
  /// there is one piece only.
  const std::optional<Halide::Var> &index() const { return piece; }
  /// Whether pieces are parts of keys, each of which is a task, and not strips.
  bool areParts() const { return piece && limits.part && !limits.strip; }
  /// Whether sums over keys are computed in parts.
  bool haveSumsInParts() const { return piece && limits.part; }
  /// Number of queries of a strip.
  int strip() const { return limits.strip; }
  /// Number of keys of a part.
  int part() const { return limits.part; }
  /// Number of keys of a block.
  int block() const { return lanes; }
  /// Number of interleaved sums over the `channels` channels of a score; a
  /// divisor of `channels`.
  int sumsAcross(int64_t channels) const;

  /// Number of keys.
  const Halide::Expr &countOfKeys() const { return keys; }
  /// Number of parts of keys, the last of which may be partial.
  Halide::Expr countOfParts() const;
  /// Number of blocks of `ofKeys` keys, the last of which may be partial.
  Halide::Expr countOfBlocks(const Halide::Expr &ofKeys) const;
  /// Key `lane` of block `number` of part `part`, or of all blocks if `part` is
  /// undefined.
  Halide::Expr keyAt(const Halide::Expr &part, const Halide::Expr &number,
                     const Halide::Expr &lane) const;

  /// The same for pairs of keys, of which a block has half as many.
  Halide::Expr pairAt(const Halide::Expr &part, const Halide::Expr &number,
                      const Halide::Expr &lane) const;

  /// Restricts `domain` to the blocks that a piece may see; `block` is the
  /// block index among all keys. The others contribute nothing.
  void limitToSeen(Halide::RDom &domain, const Halide::Expr &block) const;
  /// The parts of keys that a piece may see.
  Halide::RDom seenParts(const std::string &name) const;
  /// A loop over the blocks of keys of a piece, within part `part` if that is
  /// defined. Its last variable is the block; if `perBlock` is not 0, its first
  /// variable iterates over `perBlock` places within each block.
  Halide::RDom blocksOfPiece(const std::string &name, const Halide::Expr &part,
                             int perBlock) const;

  /// Defines `function` at `indices`, the last of which is a key. With pieces,
  /// an update defines it for those blocks of keys that the piece reads.
  void defineOverKeys(Halide::Func &function,
                      const std::vector<Halide::Var> &indices,
                      const Entry &entry) const {
    define(function, Halide::Float(32), block(), indices, entry);
  }
  /// The entries of such a function, by key. If pieces are parts of keys, the
  /// function itself is indexed by the key within its part.
  Entry entriesOverKeys(const Halide::Func &function) const {
    return entries(function, block());
  }

  /// The same for words of a pair of keys each: key k of the first half of a
  /// block and key k of the second half. `entry` is given the first key of a
  /// pair; the indices of the function are pair indices.
  void definePairs(Halide::Func &function,
                   const std::vector<Halide::Var> &indices,
                   const Entry &entry) const {
    define(function, Halide::UInt(32), pairsOfBlock(), indices, entry);
  }
  /// The entries of such a function, by pair index.
  Entry entriesOfPairs(const Halide::Func &function) const {
    return entries(function, pairsOfBlock());
  }
  /// Number of pairs of a block.
  int pairsOfBlock() const { return block() / 2; }

private:
  /// Defines `function` with elements of type `type`, of which each block of
  /// keys has `perBlock`.
  void define(Halide::Func &function, Halide::Type type, int perBlock,
              const std::vector<Halide::Var> &indices,
              const Entry &entry) const;
  /// The entries of such a function.
  Entry entries(const Halide::Func &function, int perBlock) const;

  Halide::Expr keys;
  int lanes;
  KeyLimits limits;
  std::optional<Halide::Var> piece;
  /// The range of blocks that the piece may see; an undefined bound does not
  /// restrict it.
  Halide::Expr begin, end;
};

} // namespace transfold::kernels
