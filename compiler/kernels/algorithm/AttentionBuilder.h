// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention in three steps, each of which is handed what the one before has
// made:
//
//   scores  (…, n, m) = Σ_c q(…, n, c) k(…, m, c)
//   weights (…, n, m) = 2^(exponent (scores - max over m))
//   mixture (…, n, c) = (Σ_m weights v(…, m, c)) · factor / Σ_m weights
//
// Between scores and weights there may be arithmetic by entry: a bias, a cap.
// Keys are gone through in pieces: KeyPieces.h. The two products are in
// AttentionScores.cpp and AttentionMixture.cpp or, where pieces are parts of
// keys, in AttentionParts.cpp. Where both operands of a product are bfloat16
// and the processor has an instruction for pairs of them, sums are over pairs,
// of channels and of keys: AttentionPairs.cpp.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONBUILDER_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONBUILDER_H

#include "compiler/kernels/algorithm/AlgorithmContext.h"
#include "compiler/kernels/algorithm/KeyPieces.h"
#include "compiler/kernels/algorithm/Softmax.h"
#include "compiler/kernels/algorithm/TensorLabels.h"

namespace transfold::kernels {

/// On a device, what a score is taken for that a row does not see, and the
/// maximum of none. A part may have no score that a row sees: differences of
/// maxima times exponents up to 256 must then be numbers, and no infinities.
constexpr float leastScore = -0x1p+120f;

/// Places behind the end of an axis are the last one again.
Entry upToLast(const Entry &entry, size_t axis, const Halide::Expr &count);

class AttentionBuilder {
public:
  /// An operand of a product, with a label for each axis.
  struct Operand {
    Tensor tensor;
    Labels labels;
  };

  /// What a mixture is made of: a softmax that is not divided yet.
  struct Weights {
    /// (…, row, key)
    std::vector<Axis> axes;
    Entry numerator;
    /// All numerators are bfloat16.
    bool areRounded = false;
    /// Of a row the sum of its weights; where pieces are parts of keys, the sum
    /// of a part.
    Tensor sum;
    /// What a mixture is multiplied by, from the sum over all keys of its row.
    std::function<Halide::Expr(const Indices &row, const Halide::Expr &sum)>
        inverse;
    /// The same as a number of each row; none where pieces are parts of keys: a
    /// row's sum is known only after all of them.
    std::optional<Tensor> inverseOfRow;
    /// What the softmax reads.
    Halide::Func scores;
    /// On a device: the softmax and what it is of, of which the mixture makes
    /// weights as it goes.
    std::optional<Softmax> softmax = std::nullopt;
    std::optional<Tensor> x = std::nullopt;
    /// Where scores end, if those behind the end are no scores of the last key.
    Halide::Expr end = Halide::Expr();
  };

  /// Rows and keys are the axes of the scores. On a processor `limits` say
  /// which pieces there are; on a device there are none.
  AttentionBuilder(AlgorithmContext &context, const Axis &rows,
                   const Axis &keys, const KeyLimits &limits);

  /// The last two of `labels` are rows and keys. All three throw
  /// std::runtime_error where labels or axes are not those of an attention.
  Tensor scores(const Operand &queries, const Operand &keys,
                const Labels &labels);
  Weights weights(const Tensor &scores, const Softmax &softmax);
  /// `own` are the labels of the weights, the last of which is summed over.
  Tensor mixture(const Weights &weights, const Labels &own,
                 const Operand &values, const Labels &labels);

private:
  Weights weightsOf(const Tensor &x, const Softmax &softmax,
                    const Halide::Expr &end);
  /// Throws std::runtime_error where channels are no number.
  static ProductShape shapeOfScores(const Operand &queries, const Operand &keys,
                                    const Labels &labels);
  Tensor scoresOfRows(const Operand &queries, const Operand &keys,
                      const Labels &labels);
  Tensor scoresInParts(const Operand &queries, const Operand &keys,
                       const Labels &labels);
  Tensor mixtureOfRows(const Weights &weights, const Labels &own,
                       const Operand &values, const Labels &labels);
  // On a device: AttentionOnline.cpp.
  Tensor scoresOnDevice(const Operand &queries, const Operand &keys,
                        const Labels &labels);
  bool canGoAlong(const Weights &weights, const Labels &own,
                  const Operand &values, const Labels &labels) const;
  /// The entries of keys or values. Where heads of queries share them, by heads
  /// of keys, as is then `head`, the label of heads, in `places`.
  Entry ofSharedHeads(const Operand &operand, Places &places,
                      const std::string &head) const;
  void weightsOfParts(OnlineAttention &online, const Weights &weights,
                      const Halide::Var &part);
  // The same: SeenParts.cpp and MixtureOnline.cpp.
  std::pair<Halide::RDom, Halide::Expr>
  seenParts(const Axis &rows, const Halide::Var &strip) const;
  Halide::RDom partsOfFewRows(const Axis &rows) const;
  struct OnlineMixture;
  Tensor mixtureOnline(const Weights &weights, const Labels &own,
                       const Operand &values, const Labels &labels);
  Tensor mixtureInParts(const Weights &weights, const Labels &own,
                        const Operand &values, const Labels &labels);

  /// What scores sum over: channels, or pairs of them.
  struct Channels {
    std::string label;
    int count;
    /// 0 where they are no pairs.
    int pairDistance = 0;

    /// Of a tensor at indices of which `axis` is this one.
    Halide::Expr read(const Tensor &tensor, const Indices &indices,
                      size_t axis) const;
    Halide::Expr product(const Halide::Expr &query,
                         const Halide::Expr &key) const;
  };
  Channels channelsOf(const ProductShape &shape, const Operand &queries,
                      const Operand &keys) const;
  /// The query at `places`; where reading one is more than a load, from queries
  /// that are made once.
  Halide::Expr query(Contraction &scores, const Operand &queries,
                     const Channels &channels, const Places &places);
  /// The key at `places`, from panels of a block of keys each. `key` is the
  /// label of keys.
  Halide::Expr keyInPanels(Contraction &scores, const Operand &keys,
                           const Channels &channels, const Places &places,
                           const std::string &key);
  /// The entries of scores, the sum of `term`; of `across` parts, `part` says
  /// which.
  Entry sumScores(Contraction &scores,
                  const std::vector<Halide::Var> &variables,
                  const Halide::Expr &term, int across,
                  const Halide::Var &part);
  /// Whether a mixture sums over pairs of keys.
  bool sumsPairs(const Weights &weights, const Operand &values) const;
  /// Gives a mixture its loops over keys, and returns its term; where sums are
  /// in parts, of part `part`. `key` is the label of keys, `own` has those of
  /// the weights.
  Halide::Expr termOverKeys(Contraction &mixture, const Weights &weights,
                            const Labels &own, const Operand &values,
                            Places places, const Axis &keys,
                            const Halide::Var &part);
  /// The same for pairs of keys, over the blocks of part `part` if that is
  /// defined. Values are read from words that are made once, or where they lie.
  Halide::Expr termOfPairs(Contraction &mixture, const Weights &weights,
                           const Labels &own, const Operand &values,
                           Places places, const Halide::Expr &part,
                           bool packsValues);

  /// `tensor`, marked as one of these pieces.
  Tensor ofPiece(Tensor tensor) const;
  /// `rows` as they are in memory, or computed once.
  Tensor keep(const Tensor &rows);
  /// All `entry` along the keys as one.
  Tensor reduce(const std::string &operation, const std::vector<Axis> &shape,
                const Join &join, const Entry &entry);

  AlgorithmContext &context;
  KeyPieces pieces;
  /// On a device, where pieces know of no limits.
  KeyLimits limits;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONBUILDER_H
