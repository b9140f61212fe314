// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention in three steps, each of which gets the result of the one before:
//
//   scores  (…, n, m) = Σ_c q(…, n, c) k(…, m, c)
//   weights (…, n, m) = 2^(exponent (scores - max over m))
//   mixture (…, n, c) = (Σ_m weights v(…, m, c)) · factor / Σ_m weights
//
// Between scores and weights there may be elementwise arithmetic: a bias, a
// cap. Keys are processed in pieces: KeyPieces.h. The two products are in
// AttentionScores.cpp and AttentionMixture.cpp or, if pieces are parts of keys,
// in AttentionParts.cpp. If both operands of a product are bfloat16 and the
// processor has an instruction for pairs of them, sums are over pairs of
// channels and pairs of keys: AttentionPairs.cpp.

#pragma once

#include "compiler/kernels/algorithm/AlgorithmContext.h"
#include "compiler/kernels/algorithm/attention/KeyPieces.h"
#include "compiler/kernels/algorithm/tensor/Softmax.h"
#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

namespace transfold::kernels {

/// On a device, the score of keys that a row does not see, and the maximum of
/// no scores. A part may contain no score that a row sees: differences of
/// maxima, times exponents up to 256, must then be finite.
constexpr float leastScore = -0x1p+120f;

/// Returns `entry` with index `axis` clamped to `count` - 1: positions past the
/// end of the axis read its last entry.
Entry upToLast(const Entry &entry, size_t axis, const Halide::Expr &count);

/// Adds the functions of one attention to an algorithm. The three steps are
/// called in order.
class AttentionBuilder {
public:
  /// An operand of a product, with a label for each axis.
  struct Operand {
    Tensor tensor;
    Labels labels;
  };

  /// The operand of a mixture: a softmax that has not been divided by its sum
  /// yet.
  struct Weights {
    /// (…, row, key)
    std::vector<Axis> axes;
    Entry numerator;
    /// All numerators are bfloat16 values.
    bool areRounded = false;
    /// For each row the sum of its weights; if pieces are parts of keys, the
    /// sum within the part.
    Tensor sum;
    /// The factor of a mixture, from the sum over all keys of its row.
    std::function<Halide::Expr(const Indices &row, const Halide::Expr &sum)>
        inverse;
    /// The same, stored as one value for each row; nullopt if pieces are parts
    /// of keys, since the sum of a row is then known only after all of them.
    std::optional<Tensor> inverseOfRow;
    /// The input of the softmax.
    Halide::Func scores;
    /// On a device: the softmax and its input, from which the mixture computes
    /// the weights as it goes along.
    std::optional<Softmax> softmax = std::nullopt;
    std::optional<Tensor> x = std::nullopt;
    /// The number of scores, if the entries past the end do not repeat the
    /// score of the last key.
    Halide::Expr end = Halide::Expr();
  };

  /// `rows` and `keys` are the axes of the scores. On a processor `limits`
  /// determine the pieces; on a device there are no pieces.
  AttentionBuilder(AlgorithmContext &context, const Axis &rows,
                   const Axis &keys, const KeyLimits &limits);

  /// Defines the scores. The last two of `labels` are rows and keys. All three
  /// steps throw std::runtime_error if labels or axes are not those of an
  /// attention.
  Tensor scores(const Operand &queries, const Operand &keys,
                const Labels &labels);
  /// Defines the weights of the softmax; on a device, records the softmax for
  /// `mixture`.
  Weights weights(const Tensor &scores, const Softmax &softmax);
  /// Defines the mixture, with the labels `labels`. `own` are the labels of the
  /// weights, the last of which is summed over.
  Tensor mixture(const Weights &weights, const Labels &own,
                 const Operand &values, const Labels &labels);

private:
  /// Defines the maximum, the weights and their sum for scores `x`; weights
  /// from key `end` on are 0, if that is defined.
  Weights weightsOf(const Tensor &x, const Softmax &softmax,
                    const Halide::Expr &end);
  /// The axes of the scores and the channels that they sum over. Throws
  /// std::runtime_error if the number of channels is not known.
  static ProductShape shapeOfScores(const Operand &queries, const Operand &keys,
                                    const Labels &labels);
  /// Scores in strips of queries: AttentionScores.cpp.
  Tensor scoresOfRows(const Operand &queries, const Operand &keys,
                      const Labels &labels);
  /// Scores in parts of keys: AttentionParts.cpp.
  Tensor scoresInParts(const Operand &queries, const Operand &keys,
                       const Labels &labels);
  /// The mixture in strips of queries, or on a device without online softmax:
  /// AttentionMixture.cpp.
  Tensor mixtureOfRows(const Weights &weights, const Labels &own,
                       const Operand &values, const Labels &labels);
  /// Scores on a device: AttentionOnline.cpp.
  Tensor scoresOnDevice(const Operand &queries, const Operand &keys,
                        const Labels &labels);
  /// Whether the mixture is computed along with its softmax: MixtureOnline.cpp.
  bool canGoAlong(const Weights &weights, const Labels &own,
                  const Operand &values, const Labels &labels) const;
  /// The entries of keys or values. If several heads of queries share them,
  /// they are indexed by heads of keys, and `head`, the label of heads, is set
  /// accordingly in `places`.
  Entry ofSharedHeads(const Operand &operand, Places &places,
                      const std::string &head) const;
  /// Defines the maximum, the weights and their sum of each part of keys:
  /// AttentionOnline.cpp.
  void weightsOfParts(OnlineAttention &online, const Weights &weights,
                      const Halide::Var &part);
  /// The loop over the parts that rows of a strip may see, and the part of an
  /// iteration: VisibleKeyBlocks.cpp.
  std::pair<Halide::RDom, Halide::Expr>
  seenParts(const Axis &rows, const Halide::Var &strip) const;
  /// The loop over the parts that few rows may see.
  Halide::RDom partsOfFewRows(const Axis &rows) const;
  /// The mixture of a device along with its softmax: MixtureOnline.cpp.
  struct OnlineMixture;
  /// Defines the mixture along with its softmax.
  Tensor mixtureOnline(const Weights &weights, const Labels &own,
                       const Operand &values, const Labels &labels);
  /// The mixture in parts of keys: AttentionParts.cpp.
  Tensor mixtureInParts(const Weights &weights, const Labels &own,
                        const Operand &values, const Labels &labels);

  /// The channels that scores sum over, or pairs of channels.
  struct Channels {
    std::string label;
    int count;
    /// Distance of the channels of a pair; 0 if they are not pairs.
    int pairDistance = 0;

    /// Reads `tensor` at `indices`, of which index `axis` is the channel or
    /// pair.
    Halide::Expr read(const Tensor &tensor, const Indices &indices,
                      size_t axis) const;
    /// The term of a score: a product, or the sum of the two products of a
    /// pair.
    Halide::Expr product(const Halide::Expr &query,
                         const Halide::Expr &key) const;
  };
  /// Pairs of channels if both operands are bfloat16 and products of pairs are
  /// marked; else single channels.
  Channels channelsOf(const ProductShape &shape, const Operand &queries,
                      const Operand &keys) const;
  /// The query at `places`; if reading one takes more than a load, it is read
  /// from `scores.byChannels.queries`, which is computed once.
  Halide::Expr query(Contraction &scores, const Operand &queries,
                     const Channels &channels, const Places &places);
  /// The key at `places`, read from panels of one block of keys each. `key` is
  /// the label of keys.
  Halide::Expr keyInPanels(Contraction &scores, const Operand &keys,
                           const Channels &channels, const Places &places,
                           const std::string &key);
  /// Defines the sum of `term` and returns its entries; with more than one of
  /// `across` parts, `part` is the variable of the part.
  Entry sumScores(Contraction &scores,
                  const std::vector<Halide::Var> &variables,
                  const Halide::Expr &term, int across,
                  const Halide::Var &part);
  /// Whether a mixture sums over pairs of keys.
  bool sumsPairs(const Weights &weights, const Operand &values) const;
  /// Sets the loops over keys of a mixture and returns the term of its sum; if
  /// sums are computed in parts, that of part `part`. `key` is the label of
  /// keys, `own` are the labels of the weights.
  Halide::Expr termOverKeys(Contraction &mixture, const Weights &weights,
                            const Labels &own, const Operand &values,
                            Places places, const Axis &keys,
                            const Halide::Var &part);
  /// The same for pairs of keys, over the blocks of part `part` if that is
  /// defined. The pairs of values are packed once into words if `packsValues`,
  /// and otherwise read from the argument directly.
  Halide::Expr termOfPairs(Contraction &mixture, const Weights &weights,
                           const Labels &own, const Operand &values,
                           Places places, const Halide::Expr &part,
                           bool packsValues);

  /// Returns `tensor` with the variable of these pieces as its piece.
  Tensor ofPiece(Tensor tensor) const;
  /// Returns `rows` if they are in memory already, else rows that are computed
  /// once.
  Tensor keep(const Tensor &rows);
  /// Reduces the entries along the keys, the last axis of `shape`, with `join`.
  Tensor reduce(const std::string &operation, const std::vector<Axis> &shape,
                const Join &join, const Entry &entry);

  AlgorithmContext &context;
  KeyPieces pieces;
  /// The limits on a device, where `pieces` has none.
  KeyLimits limits;
};

} // namespace transfold::kernels
