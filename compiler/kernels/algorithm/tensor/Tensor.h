// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition of each operation in Halide: tensors are functions of their
// indices, in the order of the equations.

#pragma once

#include "base/exact/IndexExpr.h"
#include "compiler/kernels/algorithm/AlgorithmContext.h"
#include "compiler/kernels/algorithm/tensor/Softmax.h"

namespace transfold {
struct BlockFormat;
}

namespace transfold::kernels {

/// The distance of the rows of a pair in #xf.panels<width, 2>.
constexpr int pairDistance = 16;

/// The result of AlgorithmBuilder::reduce.
enum class Reduction { Sum, Mean, Max };

struct StoredNumbers;

/// Builds an Algorithm, operation by operation.
class AlgorithmBuilder : AlgorithmContext {
public:
  using AlgorithmContext::AlgorithmContext;

  /// The state that an AttentionBuilder shares, which adds to the same
  /// algorithm.
  AlgorithmContext &context() { return *this; }

  /// Adds the next argument.
  Tensor addArgument(std::vector<Axis> axes, const StoredNumbers &stored);
  /// Adds the next argument, a matrix of weights in panels: #xf.panels<width,
  /// interleaved>.
  Tensor addPanels(std::vector<Axis> axes, const StoredNumbers &stored,
                   int64_t width, int64_t interleaved);
  /// Adds the next argument, a matrix of weights in blocks, in panels:
  /// StoredBlocks.h.
  Tensor addBlocks(std::vector<Axis> axes, const BlockFormat &format);
  /// Defines result `number` of the kernel, stored in the format of `stored`.
  Halide::Func addResult(unsigned number, const Tensor &result,
                         const StoredNumbers &stored);
  /// Defines the first result of the kernel, and returns the finished
  /// algorithm.
  Algorithm finish(const Tensor &result, const StoredNumbers &stored);

  /// A tensor with the same value everywhere.
  Tensor constant(const Halide::Expr &value, std::vector<Axis> axes = {});
  /// The number of positions of an axis, as a value.
  Tensor length(const Axis &axis);
  /// `function` of each entry.
  Tensor unary(const std::string &name, const Tensor &input,
               const std::function<Halide::Expr(Halide::Expr)> &function);
  /// `function` of two entries each; axes are matched by label.
  Tensor pointwise(
      const std::string &name, const Tensor &lhs, const Labels &lhsLabels,
      const Tensor &rhs, const Labels &rhsLabels, const Labels &labels,
      const std::function<Halide::Expr(Halide::Expr, Halide::Expr)> &function);
  /// Rounds to 8-bit integers along the last axis, with a scale for each
  /// `group` values.
  Tensor quantize(const Tensor &input, int group);
  /// The product of two tensors, summed over the label that `labels` lacks.
  Tensor contract(const Tensor &lhs, const Labels &lhsLabels, const Tensor &rhs,
                  const Labels &rhsLabels, const Labels &labels);
  /// The products of one first operand with several matrices, on a device:
  /// ProductsTogether.cpp.
  std::vector<Tensor> contractTogether(const Tensor &lhs,
                                       const Labels &lhsLabels,
                                       const std::vector<Tensor> &matrices,
                                       const Labels &rhsLabels,
                                       const Labels &labels);

  /// A softmax over the last axis; with `among`, over those entries only where
  /// `among` is above 0.
  Tensor softmax(const Tensor &input, Softmax softmax,
                 const Tensor *among = nullptr);
  /// (x - mean) · factor / √(variance + epsilon) of each row.
  Tensor standardize(const Tensor &input, const Halide::Expr &epsilon,
                     const Halide::Expr &factor);
  /// x · factor / √(mean of x² + epsilon) of each row.
  Tensor unitRms(const Tensor &input, const Halide::Expr &epsilon,
                 const Halide::Expr &factor);
  /// x · factor / √(sum of x²) of each row.
  Tensor unit(const Tensor &input, const Halide::Expr &factor);
  /// The sum, mean or maximum along `axis`.
  Tensor reduce(const Tensor &input, unsigned axis, Reduction kind);

  /// Rows of `table`, selected by the indices `rows`.
  Tensor gather(const Tensor &table, const Tensor &rows);
  /// The entries of `input` from `offset` on along `axis`.
  Tensor slice(const Tensor &input, unsigned axis, const Halide::Expr &offset,
               std::vector<Axis> axes);
  /// Position `position` of `axis`, counted from the end if it is negative.
  Tensor select(const Tensor &input, unsigned axis, int64_t position);
  /// Each position of `axis`, `times` times in sequence.
  Tensor repeat(const Tensor &input, unsigned axis, int64_t times);
  /// `lhs`, followed along `axis` by `rhs`.
  Tensor append(const Tensor &lhs, const Tensor &rhs, unsigned axis,
                std::vector<Axis> axes);
  /// The members of a family, which become the first axis.
  Tensor stack(const std::vector<Tensor> &members);
  /// An image [c, h, w] as rows, one for each square of `size` by `size`
  /// pixels.
  Tensor patches(const Tensor &image, int64_t size, std::vector<Axis> axes);
  /// A value defined by index, computed in double. The first axis with a length
  /// begins at position `first`, or at 0 if that is undefined.
  Tensor tabulate(const IndexExpr &body, const std::vector<Tensor> &arrays,
                  std::vector<Axis> axes, const Halide::Expr &first = {});
  /// Rotates channels c and c + d / 2 of each row by the angle of position and
  /// c, given by cosines and sines (position, c).
  Tensor rotate(const Tensor &input, const Tensor &cosines,
                const Tensor &sines);
  /// 1 for the `count` largest entries of each row, the first among equal ones;
  /// else 0. A row with NaN is NaN.
  Tensor top(const Tensor &input, int64_t count);
  /// The number of nonzero entries up to each one. A row is chosen if its rank
  /// is larger than that of the row before.
  Tensor rank(const Tensor &input);
  /// The chosen rows of `input`, packed together at the beginning.
  Tensor pickChosen(const Tensor &input, const Tensor &ranks,
                    std::vector<Axis> axes);
  /// The inverse of pickChosen: each chosen row at its original place, 0 in the
  /// others.
  Tensor spreadChosen(const Tensor &input, const Tensor &ranks,
                      std::vector<Axis> axes);
  /// On a device, for rows that choose members of a family (TensorListed.cpp):
  /// rank(n, e), the number of rows up to n that choose member e.
  Tensor rankOfEach(const Tensor &input);
  /// list(e, r), the index of row r, counted from 0, among those that choose
  /// member e; -1 past the last one.
  Tensor list(const Tensor &ranks);
  /// The rows of `input` that `list` names: (member, place in the list, …).
  Tensor takeListed(const Tensor &input, const Tensor &list);
  /// `input`, with marks for thread blocks past the end of the list:
  /// ListedMark.h.
  Tensor listed(const Tensor &input, const Tensor &list);
  /// For each row, the sum over its chosen members of their result for this
  /// row, times the member's weight.
  Tensor sumListed(const Tensor &input, const Tensor &ranks,
                   const Tensor &weights);
  /// Row t of the result has the rows of `input` from t · stride - pad on. Past
  /// the ends it has zeros or, if `isReflected`, the reflected rows.
  Tensor windows(const Tensor &input, int64_t stride, int64_t pad,
                 bool isReflected, std::vector<Axis> axes);
  /// Position t of `axis` has position first + t - by of `input`, or zeros
  /// where that is negative. `first` may be undefined: 0.
  Tensor delay(const Tensor &input, unsigned axis, int64_t by,
               const Halide::Expr &first, std::vector<Axis> axes);
  /// The axes of `input`, split into the labels `from` and merged into `to`.
  Tensor rearrange(const Tensor &input, const std::vector<Labels> &from,
                   const std::vector<Labels> &to, std::vector<Axis> axes);

private:
  /// Defines a function of the indices of `axes`, and of the piece if there is
  /// one.
  Tensor define(const std::string &operation, std::vector<Axis> axes,
                const Entry &entry,
                const std::optional<Halide::Var> &piece = std::nullopt);
  /// The name of the next argument.
  std::string nextArgument() const;
  /// Sets the bounds, strides and alignment of a buffer. Returns the offset of
  /// its first value on a device; undefined elsewhere.
  Halide::Expr constrain(Halide::OutputImageParam buffer,
                         const std::vector<Halide::Expr> &extents,
                         const std::vector<bool> &isOwn) const;
  /// A product while it is built.
  struct Product;
  /// Sets the axes and the width of tiles.
  void chooseTile(const Product &product, Contraction &contraction);
  /// Sets the reduction domains of the sum.
  void sumOver(Product &product, Contraction &contraction);
  /// The second operand at the places of a product.
  Halide::Expr rightOf(Product &product, Contraction &contraction);
  /// The first operand at the places of a product.
  Halide::Expr leftOf(Product &product, Contraction &contraction);
  /// Defines the sums of `term` with the arguments `pure`, in parts if the
  /// product has any, and returns the function of the finished sums.
  Halide::Func sumTerms(const Product &product, Contraction &contraction,
                        const std::vector<Halide::Var> &pure,
                        const Halide::Expr &term);
  /// The terms of products with several matrices on a device, one for each
  /// matrix: DeviceTiles.cpp.
  std::vector<Halide::Expr> termsOfTiles(Product &product,
                                         const std::vector<Tensor> &matrices,
                                         Contraction &contraction);
  /// The same for operands that are words of two bfloat16.
  std::vector<Halide::Expr>
  termsOfFragments(Product &product, const std::vector<Tensor> &matrices,
                   Contraction &contraction);
  // The following are for a matrix in blocks: BlockProduct.cpp.
  /// Sets the loops over the values of a group, and the parts: groups and
  /// blocks.
  void sumOverBlocks(Product &product, Contraction &contraction);
  /// The second operand without its scales: codes at the places of the product.
  Halide::Expr codesOfProduct(Product &product, Contraction &contraction);
  /// The first operand times 256^-b, where b is the byte of the code in its
  /// word.
  Halide::Expr timesPowers(Product &product, Contraction &contraction);
  /// A code as a float, possibly left in its byte of a word and so 256^b times
  /// as large.
  Halide::Expr codeOf(const Blocks &blocks, const Indices &place,
                      Contraction &contraction);
  /// The total after one more group, whose sum is scaled here.
  Halide::Expr withGroup(const Product &product, Contraction &contraction,
                         Halide::Expr total, const Halide::Expr &sum);
  // The following are for a matrix in blocks and rows of integers:
  // IntegerProduct.cpp.
  /// The term of an integer sum: the product of two words or octets.
  Halide::Expr dotOfIntegers(Product &product, Contraction &contraction);
  /// What an integer sum begins with: the contribution of the codes' bias.
  Halide::Expr startOfIntegers(const Product &product,
                               Contraction &contraction);
  /// The number of codes of a word, or of an octet.
  int codesOfEntry() const;
  /// A word of four codes, or an octet of eight, at a place.
  Halide::Expr entryOfCodes(const Blocks &blocks, const Indices &place) const;
  /// A word of four codes, with their highest bits flipped where the
  /// instruction takes unsigned codes.
  Halide::Expr wordOfCodes(const Blocks &blocks, const Indices &place) const;
  /// The constant that is subtracted from each code.
  int biasOfCodes(const Product &product) const;
  /// For each group of a row, a function of the sum of its integers.
  Halide::Func ofSumsOfIntegers(
      const Product &product, Contraction &contraction, const std::string &name,
      const std::function<Halide::Expr(const Halide::Expr &, const Indices &)>
          &of);
  /// The sums that minimums are multiplied by, in the scale of the row.
  Halide::Func sumsOfIntegers(const Product &product, Contraction &contraction);
  // The following are for the rows of such a product: IntegerRows.cpp.
  /// The rows as words or octets of integers, computed once.
  Halide::Func integersOfRows(const Product &product,
                              const Contraction &contraction);
  /// A word or octet of the rows at a place.
  Halide::Expr integersAt(const Product &product,
                          const Contraction &contraction,
                          std::vector<Halide::Expr> place) const;
  // The following are for a matrix in pairs and rows of pairs: PairProduct.cpp.
  /// The term of a sum over pairs: the marked product of two words.
  Halide::Expr dotOfPairs(Product &product, Contraction &contraction);
  /// Whether sums are computed in halves, in the order of matrix registers.
  bool isInHalves(const Product &product) const;
  /// Sets the loops of a sum in halves, and its parts.
  void sumOverHalves(Product &product, Contraction &contraction);
  /// A sum for each position of `axes`, each computed by one thread; `term` may
  /// restrict the positions that it is over.
  Tensor sumOfEach(
      const std::string &operation, const std::vector<Axis> &axes,
      const Axis &over,
      const std::function<Halide::Expr(const Indices &, Halide::RDom &)> &term,
      const std::function<Halide::Expr(const Halide::Expr &)> &finish);
  /// Reduces the entries along the last axis of `shape` with `join`.
  Tensor reduceRow(const std::string &operation, const std::vector<Axis> &shape,
                   const Join &join, const Entry &entry);
  /// The largest entry of each row; NaN if the row contains one.
  Tensor largestOfRow(const std::string &operation, const Tensor &input);
  using AlgorithmContext::rowNumber;
  /// The same for a function of the reduced value only.
  Tensor rowNumber(const std::string &operation, const Tensor &reduced,
                   const std::function<Halide::Expr(Halide::Expr)> &function);
  /// Returns `input` if it is in memory, else rows that are computed once.
  Tensor keepRow(const Tensor &input);
};

} // namespace transfold::kernels
