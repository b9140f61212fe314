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
// keys, in AttentionParts.cpp.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONBUILDER_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONBUILDER_H

#include "compiler/kernels/algorithm/AlgorithmContext.h"
#include "compiler/kernels/algorithm/KeyPieces.h"
#include "compiler/kernels/algorithm/Softmax.h"

namespace transfold::kernels {

class Places;

class AttentionBuilder {
public:
  /// An operand of a product, with a label for each axis.
  struct Operand {
    const Tensor &tensor;
    Labels labels;
  };

  /// What a mixture is made of: a softmax that is not divided yet.
  struct Weights {
    /// (…, row, key)
    std::vector<Axis> axes;
    Entry numerator;
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
  Tensor scoresOfRows(const Operand &queries, const Operand &keys,
                      const Labels &labels);
  Tensor scoresInParts(const Operand &queries, const Operand &keys,
                       const Labels &labels);
  Tensor mixtureOfRows(const Weights &weights, const Labels &own,
                       const Operand &values, const Labels &labels);
  Tensor mixtureInParts(const Weights &weights, const Labels &own,
                        const Operand &values, const Labels &labels);

  /// The query at `places`; where reading one is more than a load, from queries
  /// that are made once.
  Halide::Expr query(Contraction &scores, const Operand &queries,
                     const Places &places);
  /// The key at `places`, from panels of a block of keys each. `key` is the
  /// label of keys, `over` that of channels.
  Halide::Expr keyInPanels(Contraction &scores, const Operand &keys,
                           const Places &places, const std::string &key,
                           const std::string &over);
  /// The entries of scores, the sum of `term`; of `across` parts, `part` says
  /// which.
  Entry sumScores(Contraction &scores,
                  const std::vector<Halide::Var> &variables,
                  const Halide::Expr &term, int across,
                  const Halide::Var &part);
  /// Gives a mixture its loops over keys, and returns which key they are at;
  /// where sums are in parts, of part `part`.
  Halide::Expr loopOverKeys(Contraction &mixture, const Axis &keys,
                            const Halide::Var &part);

  /// `tensor`, marked as one of these pieces.
  Tensor ofPiece(Tensor tensor) const;
  /// `rows` as they are in memory, or computed once.
  Tensor keep(const Tensor &rows);
  /// All `entry` along the keys as one.
  Tensor reduce(const std::string &operation, const std::vector<Axis> &shape,
                const Join &join, const Entry &entry);

  AlgorithmContext &context;
  KeyPieces pieces;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONBUILDER_H
