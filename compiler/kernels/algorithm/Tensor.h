// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of each operation as a Halide definition: tensors are functions
// of their indices, in the order of the equations.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSOR_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSOR_H

#include "compiler/kernels/algorithm/AlgorithmContext.h"
#include "compiler/kernels/algorithm/Softmax.h"
#include "dialect/exact/IndexExpr.h"

namespace transfold {
struct BlockFormat;
}

namespace transfold::kernels {

/// #xf.panels<width, 2>
constexpr int pairDistance = 16;

enum class Reduction { Sum, Mean, Max };

struct StoredNumbers;

/// Makes an Algorithm, operation by operation.
class AlgorithmBuilder : AlgorithmContext {
public:
  using AlgorithmContext::AlgorithmContext;

  /// For an AttentionBuilder, which adds to the same algorithm.
  AlgorithmContext &context() { return *this; }

  /// The next argument.
  Tensor addArgument(std::vector<Axis> axes, const StoredNumbers &stored);
  /// The next argument, a matrix of weights in panels: #xf.panels<width,
  /// interleaved>.
  Tensor addPanels(std::vector<Axis> axes, const StoredNumbers &stored,
                   int64_t width, int64_t interleaved);
  /// The next argument, a matrix of weights in blocks, in panels:
  /// StoredBlocks.h.
  Tensor addBlocks(std::vector<Axis> axes, const BlockFormat &format);
  /// `result`, as its numbers are to be stored.
  Algorithm finish(const Tensor &result, const StoredNumbers &stored);

  Tensor constant(const Halide::Expr &value, std::vector<Axis> axes = {});
  /// How many positions an axis has, as a number.
  Tensor length(const Axis &axis);
  Tensor unary(const std::string &name, const Tensor &input,
               const std::function<Halide::Expr(Halide::Expr)> &function);
  /// Entry by entry; axes are matched by label.
  Tensor pointwise(
      const std::string &name, const Tensor &lhs, const Labels &lhsLabels,
      const Tensor &rhs, const Labels &rhsLabels, const Labels &labels,
      const std::function<Halide::Expr(Halide::Expr, Halide::Expr)> &function);
  /// Integers of 8 bits along the last axis, of each `group` with a scale.
  Tensor quantize(const Tensor &input, int group);
  Tensor contract(const Tensor &lhs, const Labels &lhsLabels, const Tensor &rhs,
                  const Labels &rhsLabels, const Labels &labels);
  /// The products of one first operand with several matrices, on a device:
  /// ProductsTogether.cpp.
  std::vector<Tensor> contractTogether(const Tensor &lhs,
                                       const Labels &lhsLabels,
                                       const std::vector<Tensor> &matrices,
                                       const Labels &rhsLabels,
                                       const Labels &labels);

  /// A softmax over the last axis; where there is `among`, over those entries
  /// where that is above 0.
  Tensor softmax(const Tensor &input, Softmax softmax,
                 const Tensor *among = nullptr);
  // Rows that are `factor` times as large as their norm says.
  Tensor standardize(const Tensor &input, const Halide::Expr &epsilon,
                     const Halide::Expr &factor);
  Tensor unitRms(const Tensor &input, const Halide::Expr &epsilon,
                 const Halide::Expr &factor);
  Tensor unit(const Tensor &input, const Halide::Expr &factor);
  Tensor reduce(const Tensor &input, unsigned axis, Reduction kind);

  Tensor gather(const Tensor &table, const Tensor &rows);
  Tensor slice(const Tensor &input, unsigned axis, const Halide::Expr &offset,
               std::vector<Axis> axes);
  Tensor select(const Tensor &input, unsigned axis, int64_t position);
  Tensor repeat(const Tensor &input, unsigned axis, int64_t times);
  Tensor append(const Tensor &lhs, const Tensor &rhs, unsigned axis,
                std::vector<Axis> axes);
  /// Members of a family, which become the first axis.
  Tensor stack(const std::vector<Tensor> &members);
  /// An image [c, h, w] as rows of squares.
  Tensor patches(const Tensor &image, int64_t size, std::vector<Axis> axes);
  /// A value defined by index, in double. The first axis with a length begins
  /// at position `first`, at 0 where that is undefined.
  Tensor tabulate(const IndexExpr &body, const std::vector<Tensor> &arrays,
                  std::vector<Axis> axes, const Halide::Expr &first = {});
  Tensor rotate(const Tensor &input, const Tensor &cosines,
                const Tensor &sines);
  /// 1 for the `count` largest of each row, the first of equal ones; else 0. A
  /// row with NaN is NaN.
  Tensor top(const Tensor &input, int64_t count);
  // Rows that are chosen: where a rank is larger than the one before.
  Tensor rank(const Tensor &input);
  Tensor pickChosen(const Tensor &input, const Tensor &ranks,
                    std::vector<Axis> axes);
  Tensor spreadChosen(const Tensor &input, const Tensor &ranks,
                      std::vector<Axis> axes);
  // Rows that choose members of a family, on a device: TensorListed.cpp.
  Tensor rankOfEach(const Tensor &input);
  Tensor list(const Tensor &ranks);
  Tensor takeListed(const Tensor &input, const Tensor &list);
  Tensor listed(const Tensor &input, const Tensor &list);
  Tensor sumListed(const Tensor &input, const Tensor &ranks,
                   const Tensor &weights);
  /// Rows t · stride - pad and on, for each t; zeros beyond the ends.
  Tensor windows(const Tensor &input, int64_t stride, int64_t pad,
                 bool isReflected, std::vector<Axis> axes);
  Tensor rearrange(const Tensor &input, const std::vector<Labels> &from,
                   const std::vector<Labels> &to, std::vector<Axis> axes);

private:
  /// A function of the indices of `axes`, and of a piece where there is one.
  Tensor define(const std::string &operation, std::vector<Axis> axes,
                const Entry &entry,
                const std::optional<Halide::Var> &piece = std::nullopt);
  std::string nextArgument() const;
  Halide::Expr constrain(Halide::OutputImageParam buffer,
                         const std::vector<Halide::Expr> &extents,
                         const std::vector<bool> &isOwn) const;
  /// A product as it is put together.
  struct Product;
  void chooseTile(const Product &product, Contraction &contraction);
  void sumOver(Product &product, Contraction &contraction);
  Halide::Expr rightOf(Product &product, Contraction &contraction);
  Halide::Expr leftOf(Product &product, Contraction &contraction);
  // On a device: DeviceTiles.cpp.
  std::vector<Halide::Expr> termsOfTiles(Product &product,
                                         const std::vector<Tensor> &matrices,
                                         Contraction &contraction);
  // Of a matrix in blocks: BlockProduct.cpp.
  void sumOverBlocks(Product &product, Contraction &contraction);
  Halide::Expr codesOfProduct(Product &product, Contraction &contraction);
  Halide::Expr timesPowers(Product &product, Contraction &contraction);
  Halide::Expr codeOf(const Blocks &blocks, const Indices &place,
                      Contraction &contraction);
  Halide::Expr withGroup(const Product &product, Contraction &contraction,
                         Halide::Expr total, const Halide::Expr &sum);
  // Of one in blocks, with integers: IntegerProduct.cpp.
  Halide::Expr dotOfIntegers(Product &product, Contraction &contraction);
  Halide::Expr startOfIntegers(const Product &product,
                               Contraction &contraction);
  int codesOfEntry() const;
  Halide::Expr entryOfCodes(const Blocks &blocks, const Indices &place) const;
  Halide::Expr wordOfCodes(const Blocks &blocks, const Indices &place) const;
  int biasOfCodes(const Product &product) const;
  Halide::Func ofSumsOfIntegers(
      const Product &product, Contraction &contraction, const std::string &name,
      const std::function<Halide::Expr(const Halide::Expr &, const Indices &)>
          &of);
  Halide::Func sumsOfIntegers(const Product &product, Contraction &contraction);
  // The rows of such a product: IntegerRows.cpp.
  Halide::Func integersOfRows(const Product &product,
                              const Contraction &contraction);
  Halide::Expr integersAt(const Product &product,
                          const Contraction &contraction,
                          std::vector<Halide::Expr> place) const;
  // Of one in pairs, with pairs: PairProduct.cpp.
  Halide::Expr dotOfPairs(Product &product, Contraction &contraction);
  bool isInHalves(const Product &product) const;
  void sumOverHalves(Product &product, Contraction &contraction);
  /// A sum for each place of `axes`, which threads make by themselves; `term`
  /// may say which positions it goes over.
  Tensor sumOfEach(
      const std::string &operation, const std::vector<Axis> &axes,
      const Axis &over,
      const std::function<Halide::Expr(const Indices &, Halide::RDom &)> &term,
      const std::function<Halide::Expr(const Halide::Expr &)> &finish);
  /// All `entry` along the last axis of `shape` as one.
  Tensor reduceRow(const std::string &operation, const std::vector<Axis> &shape,
                   const Join &join, const Entry &entry);
  /// The largest entry of each row; NaN where there is one.
  Tensor largestOfRow(const std::string &operation, const Tensor &input);
  using AlgorithmContext::rowNumber;
  Tensor rowNumber(const std::string &operation, const Tensor &reduced,
                   const std::function<Halide::Expr(Halide::Expr)> &function);
  /// `input`, as a row that is computed once if it is not in memory.
  Tensor keepRow(const Tensor &input);
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSOR_H
