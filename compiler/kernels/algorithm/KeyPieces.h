// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention on a processor is made in pieces. They are strips of L queries,
//
//   scores(m, n, h, s), weights(m, n, h, s), …    rows s L … (s + 1) L - 1
//   result(c, n, h) = mixture(c, n, h, n / L)
//
// or parts of P keys, for all queries: AttentionParts.cpp. Both make their sums
// in the same parts and lanes, so that a row has the same bits whichever makes
// it. With the piece as an argument of every function, loops over keys have
// bounds that depend on it, in whole blocks of keys:
//
//   for block with begin(s) <= block < end(s)
//
// They come from the mask: what no row of the piece sees is not computed. That
// is exact, since all weights of such a key are 0 and no maximum takes its
// score. Within the blocks the mask decides. On a device there is one piece,
// and no argument says so.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_KEYPIECES_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_KEYPIECES_H

#include "compiler/kernels/algorithm/TensorValue.h"

namespace transfold::kernels {

/// A bound of the keys that rows `first` … `last` of an attention may see.
using KeyBound =
    std::function<Halide::Expr(Halide::Expr first, Halide::Expr last)>;

/// An attention is made in strips of so many rows or, without one, in parts of
/// keys. Its sums are made in parts of so many keys, and its scores in so many
/// sums over every n-th channel; 0 for one after the other. A piece reads keys
/// from `from` up to, and without, `to` only; each may be null.
/// On a device, parts of keys are blocks where `shared` is not 0: so many heads
/// of queries share keys and values.
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
  /// Pieces of `rows` rows and `keys` keys. Throws std::runtime_error where
  /// parts of keys are no whole blocks.
  KeyPieces(const Halide::Expr &rows, Halide::Expr keys, int lanes,
            KeyLimits limits);

  /// Which piece: the last argument of functions; none where there is one.
  const std::optional<Halide::Var> &index() const { return piece; }
  /// Whether pieces are parts of keys, which are tasks, and not strips.
  bool areParts() const { return piece && limits.part && !limits.strip; }
  /// Whether sums over keys are made in parts.
  bool haveSumsInParts() const { return piece && limits.part; }
  /// Queries of a strip, keys of a part, keys of a block.
  int strip() const { return limits.strip; }
  int part() const { return limits.part; }
  int block() const { return lanes; }
  /// In how many interleaved sums over its channels a score is made.
  int sumsAcross(int64_t channels) const;

  const Halide::Expr &countOfKeys() const { return keys; }
  Halide::Expr countOfParts() const;
  /// Blocks of so many keys, the last of which may not be whole.
  Halide::Expr countOfBlocks(const Halide::Expr &ofKeys) const;
  /// Key `lane` of block `number` of part `part`, or of all blocks where that
  /// is undefined.
  Halide::Expr keyAt(const Halide::Expr &part, const Halide::Expr &number,
                     const Halide::Expr &lane) const;

  /// The same of pairs of keys, of which a block has half as many.
  Halide::Expr pairAt(const Halide::Expr &part, const Halide::Expr &number,
                      const Halide::Expr &lane) const;

  /// Limits `domain` to what a piece may see of block `block` of all; the rest
  /// contributes nothing.
  void limitToSeen(Halide::RDom &domain, const Halide::Expr &block) const;
  /// The parts of keys that a piece may see.
  Halide::RDom seenParts(const std::string &name) const;
  /// A loop over the blocks of keys of a piece, within part `part` where that
  /// is defined. The blocks are its last variable; where `perBlock` is not 0,
  /// its first goes so far within each.
  Halide::RDom blocksOfPiece(const std::string &name, const Halide::Expr &part,
                             int perBlock) const;

  /// Defines `function` at `indices`, the last of which is a key: in a piece
  /// for the blocks of keys that it reads, by an update.
  void defineOverKeys(Halide::Func &function,
                      const std::vector<Halide::Var> &indices,
                      const Entry &entry) const {
    define(function, Halide::Float(32), block(), indices, entry);
  }
  /// The entries of such a function. Where pieces are parts of keys, it has
  /// those of its part.
  Entry entriesOverKeys(const Halide::Func &function) const {
    return entries(function, block());
  }

  /// The same for words, of a pair of keys each: key k of the first half of a
  /// block and that of the second. `entry` is given the first of a pair, the
  /// function's own indices are numbers of pairs.
  void definePairs(Halide::Func &function,
                   const std::vector<Halide::Var> &indices,
                   const Entry &entry) const {
    define(function, Halide::UInt(32), pairsOfBlock(), indices, entry);
  }
  Entry entriesOfPairs(const Halide::Func &function) const {
    return entries(function, pairsOfBlock());
  }
  int pairsOfBlock() const { return block() / 2; }

private:
  void define(Halide::Func &function, Halide::Type type, int perBlock,
              const std::vector<Halide::Var> &indices,
              const Entry &entry) const;
  Entry entries(const Halide::Func &function, int perBlock) const;

  Halide::Expr keys;
  int lanes;
  KeyLimits limits;
  std::optional<Halide::Var> piece;
  /// The blocks that the piece may see; undefined for all.
  Halide::Expr begin, end;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_KEYPIECES_H
